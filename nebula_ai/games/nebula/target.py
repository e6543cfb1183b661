"""What Nebula's pending chance event is for, in a player's words. The order of the setup is in docs/rules-nebula.md."""

from typing import TYPE_CHECKING

from nebula_ai.errors import NoChancePending
from nebula_core.face import State
from nebula_core.nebula.edition import Edition
from nebula_core.nebula.rules import NOTHING, NebulaRules, Phase

if TYPE_CHECKING:
    from nebula_core.nebula.rules import Fields


def chance_target(edition: Edition, rules: NebulaRules, state: State) -> str:
    """``cluster 1, space 3``, ``public task 2 of 4``. Raises NoChancePending."""
    fields = rules.fields(state)
    match Phase(fields["phase"]):
        case Phase.SETUP:
            return setup_target(edition, fields)
        case Phase.DRAW:
            drawn = sum(fields["drawn"])
            # The bag may hold fewer than chaos draws.
            return f"chaos, piece {drawn + 1} of {min(edition.draw, drawn + sum(fields['bag']))}"
        case Phase.REFILL:
            return f"refill of {first_empty(fields)}"
        case Phase.SUPERNOVA:
            return "the new supernova"
        case _:
            raise NoChancePending("no chance event is pending")


def setup_target(edition: Edition, fields: "Fields") -> str:
    """What is missing first on the table."""
    if space := first_empty(fields):
        return space
    if fields["supernova"] == NOTHING:
        return "the supernova"
    for seat, counts in enumerate(fields["observatory"]):
        there, wanted = sum(counts), edition.observatory_pieces[seat]
        if there < wanted:
            return f"Observatory of seat {seat}" + (f", piece {there + 1} of {wanted}" if wanted > 1 else "")
    for name, cards in (("public task", fields["public"]), ("advanced card", fields["advanced"])):
        if NOTHING in cards:
            return f"{name} {cards.index(NOTHING) + 1} of {len(cards)}"
    seat, cards = next((seat, cards) for seat, cards in enumerate(fields["personal"]) if NOTHING in cards)
    return f"personal task {cards.index(NOTHING) + 1} of {len(cards)} for seat {seat}"


def first_empty(fields: "Fields") -> str:
    """The first empty space of the clusters; an empty text if there is none."""
    for cluster, spaces in enumerate(fields["clusters"]):
        if NOTHING in spaces:
            return f"cluster {cluster}, space {spaces.index(NOTHING)}"
    return ""
