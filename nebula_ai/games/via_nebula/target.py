"""What Via Nebula's pending chance event is for, in a player's words. The order of the setup is in the rules."""

from typing import TYPE_CHECKING

from nebula_ai.errors import NoChancePending
from nebula_ai.games.via_nebula.edition import ViaNebulaEdition
from nebula_core.face import State
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, ViaNebulaRules, decode

if TYPE_CHECKING:
    from nebula_core.via_nebula.rules import Fields


def chance_target(edition: ViaNebulaEdition, rules: ViaNebulaRules, state: State) -> str:
    """``hex 3,4``, ``private contract 1 of 2 for seat 0``. Raises NoChancePending."""
    if not state.chance_pending:
        raise NoChancePending("no chance event is pending")
    fields = rules.fields(state)
    match Phase(fields["phase"]):
        case Phase.OPEN:
            return f"open contract {fields['open'].index(NOTHING) + 1}"
        case Phase.DRAW:
            return f"contract drawn by seat {fields['seat']}"
        case _:
            return setup_target(edition, fields, decode(state.chances()[0][0])[0])


def setup_target(edition: ViaNebulaEdition, fields: "Fields", kind: MoveKind) -> str:
    """What is missing first, of the kind of thing that comes up now."""
    core = edition.core
    match kind:
        case MoveKind.SPECIAL:
            return f"special token {len(fields['boxed']) + 1} of {core.special_removed} that goes back to the box"
        case MoveKind.TOKEN:
            names = edition.maps[fields["map"]].meadows
            return f"hex {names[fields['tokens'].index(NOTHING)]}"
        case MoveKind.OPEN:
            return f"open contract {fields['open'].index(NOTHING) + 1} of {core.open_contracts}"
    held = [len(hand) + unknown for hand, unknown in zip(fields["hands"], fields["unknown_private"], strict=True)]
    seat = next(seat for seat, contracts in enumerate(held) if contracts < core.private_dealt)
    return f"private contract {held[seat] + 1} of {core.private_dealt} for seat {seat}"
