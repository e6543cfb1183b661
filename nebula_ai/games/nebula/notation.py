"""The notation of Nebula: moves and chance outcomes as text. Its grammar is in docs/rules-nebula.md.

Parsing forgives white space, and the order of words where it has no meaning. A text that names no legal move gets a
reason: the word that does not exist, or why the move is not possible now.
"""

from collections import Counter
from collections.abc import Sequence

from nebula_ai import notation
from nebula_ai.errors import listed
from nebula_ai.game import UNKNOWN
from nebula_ai.games.nebula.edition import BLACK_HOLE, NebulaEdition
from nebula_ai.games.nebula.state import ids
from nebula_ai.notation import UNKNOWN_CARD_NUMBER, Unreadable, exactly, index, whole
from nebula_core.face import State
from nebula_core.nebula.rules import NOTHING, MoveKind, NebulaRules, Phase, decode, encode

GROUPS = ("color", "constellation", "card")
"""What can have a value marker, in the core's order."""

MOVE_WORDS = {kind.name.lower(): kind for kind in MoveKind if kind < MoveKind.PIECE}
CHANCE_WORDS = {kind.name.lower(): kind for kind in MoveKind if kind >= MoveKind.PIECE}

MOVES_OF_PHASE = {
    Phase.CHOOSE: "choose a personal task",
    Phase.TURN: "invest or give in to chaos",
    Phase.TAKE: "take",
    Phase.KEEP: "keep",
    Phase.PLACE: "place or stop",
    Phase.ADVANCE: "advance or decline",
}


class Notation(notation.Notation[MoveKind]):
    """The notation with the names of one edition."""

    move_words = MOVE_WORDS
    chance_words = CHANCE_WORDS
    may_be_unknown = (MoveKind.PERSONAL,)
    encode = staticmethod(encode)
    decode = staticmethod(decode)

    def __init__(self, edition: NebulaEdition, rules: NebulaRules) -> None:
        super().__init__()
        self.edition = edition
        self.rules = rules

    # From numbers to text.

    def argument_words(self, kind: MoveKind, argument: int) -> list[str]:
        """The words after the first. Raises IndexError for an argument out of range."""
        edition = self.edition
        match kind:
            case MoveKind.CHOOSE | MoveKind.PERSONAL:
                return [UNKNOWN if argument == UNKNOWN_CARD_NUMBER else edition.personal_tasks[argument].id]
            case MoveKind.PUBLIC:
                return [edition.public_tasks[argument].id]
            case MoveKind.ADVANCED:
                return [edition.advanced_cards[argument].id]
            case MoveKind.CHAOS | MoveKind.PIECE:
                return [edition.pieces[argument]]
            case MoveKind.INVEST:
                clusters = edition.core.clusters
                return [str(argument >> 4 * (clusters - 1 - cluster) & 0xF) for cluster in range(clusters)]
            case MoveKind.TAKE:
                return [str(cluster) for cluster in range(edition.core.clusters) if argument >> cluster & 1]
            case MoveKind.KEEP:
                counts = {piece: argument >> 3 * i & 7 for i, piece in enumerate(edition.pieces)}
                return sorted(Counter(counts).elements())
            case MoveKind.PLACE:
                piece = edition.pieces[argument >> 8]
                return [piece] if piece == BLACK_HOLE else [piece, str(argument & 0xFF)]
            case MoveKind.ADVANCE:
                group = argument >> 8
                return [GROUPS[group], self.group_names(group)[argument & 0xFF]]
            case _:
                return []

    def group_names(self, group: int) -> Sequence[str]:
        """The names of what has a value marker in a group."""
        return (self.edition.colors, self.edition.constellations, ids(self.edition.advanced_cards))[group]

    def describe_move(self, state: State, move: int) -> str:
        """The pieces that the figures reach or that are taken: ``red, nothing, blue``. Empty for other moves."""
        kind, _ = decode(move)
        if kind not in (MoveKind.INVEST, MoveKind.TAKE):
            return ""
        fields = self.rules.fields(state)
        numbers = [int(word) for word in self.format_move(move).split()[1:]]
        if kind == MoveKind.TAKE:
            at = [(cluster, fields["figures"][cluster]) for cluster in numbers]
        else:
            spaces = self.edition.core.cluster_spaces
            at = [(i, (figure + numbers[i]) % spaces) for i, figure in enumerate(fields["figures"])]
        pieces = [fields["clusters"][cluster][space] for cluster, space in at]
        return ", ".join("nothing" if piece == NOTHING else self.edition.pieces[piece] for piece in pieces)

    # From text to numbers.

    def read_argument(self, kind: MoveKind, first: str, words: Sequence[str]) -> int:
        """The argument that the words after the `first` name. Raises Unreadable."""
        edition = self.edition
        match kind:
            case MoveKind.CHOOSE | MoveKind.PERSONAL:
                (name,) = exactly(words, 1, first, "a personal task")
                if name == UNKNOWN:
                    return UNKNOWN_CARD_NUMBER
                return index(name, ids(edition.personal_tasks), "personal task")
            case MoveKind.PUBLIC:
                (name,) = exactly(words, 1, first, "a public task")
                return index(name, ids(edition.public_tasks), "public task")
            case MoveKind.ADVANCED:
                (name,) = exactly(words, 1, first, "an advanced card")
                return index(name, ids(edition.advanced_cards), "advanced card")
            case MoveKind.CHAOS | MoveKind.PIECE:
                (name,) = exactly(words, 1, first, "a piece")
                return index(name, edition.pieces, "piece")
            case MoveKind.INVEST:
                return self.read_steps(words)
            case MoveKind.TAKE:
                return self.read_clusters(words)
            case MoveKind.KEEP:
                return self.read_kept(words)
            case MoveKind.PLACE:
                return self.read_placement(words)
            case MoveKind.ADVANCE:
                group_name, name = exactly(words, 2, first, f"{listed(GROUPS)}, and a name")
                group = index(group_name, GROUPS, "kind of value marker")
                return group << 8 | index(name, self.group_names(group), group_name)
            case _:
                exactly(words, 0, first, "nothing")
                return 0

    def read_steps(self, words: Sequence[str]) -> int:
        """Steps of the figures."""
        core = self.edition.core
        argument = 0
        for word in exactly(words, core.clusters, "invest", f"the steps of {core.clusters} figures"):
            argument = argument << 4 | whole(word, core.steps, "a number of steps")
        total = sum(int(word) for word in words)
        if total != core.steps:
            raise Unreadable(f"the steps must sum to {core.steps}, not {total}")
        return argument

    def read_clusters(self, words: Sequence[str]) -> int:
        """A set of clusters."""
        argument = 0
        for word in words:
            bit = 1 << whole(word, self.edition.core.clusters - 1, "a cluster")
            if argument & bit:
                raise Unreadable(f"cluster {word} is named twice")
            argument |= bit
        return argument

    def read_kept(self, words: Sequence[str]) -> int:
        """Pieces to keep, in any order."""
        if len(words) > self.edition.core.keep:
            raise Unreadable(f"at most {self.edition.core.keep} pieces are kept, not {len(words)}")
        counts = Counter(index(word, self.edition.pieces, "piece") for word in words)
        return sum(count << 3 * piece for piece, count in counts.items())

    def read_placement(self, words: Sequence[str]) -> int:
        """A star and its space, or a black hole."""
        if words[:1] == [BLACK_HOLE]:
            exactly(words, 1, "place", f"{BLACK_HOLE} alone")
            return len(self.edition.colors) << 8
        color, space = exactly(words, 2, "place", f"a colour and a space, or {BLACK_HOLE}")
        return index(color, self.edition.pieces, "piece") << 8 | whole(space, self.edition.core.spaces - 1, "a space")

    # Why not.

    def choices(self, state: State, legal: Sequence[int]) -> str:
        """What a seat may do in this state, in a few words."""
        return MOVES_OF_PHASE[Phase(self.rules.fields(state)["phase"])]

    def why_illegal(self, state: State, move: int) -> str:
        """The rule that a move breaks, if its kind is the right one for the phase."""
        fields = self.rules.fields(state)
        kind, argument = decode(move)
        phase = Phase(fields["phase"])
        own = fields["observatory"][fields["seat"]]
        pieces = self.edition.pieces
        match phase, kind:
            case Phase.CHOOSE, MoveKind.CHOOSE:
                return f"it was not dealt to seat {fields['seat']}"
            case Phase.TURN, MoveKind.CHAOS:
                if not any(fields["bag"]):
                    return "the bag is empty"
                return f"no {pieces[argument]} is in the Observatory of seat {fields['seat']}"
            case Phase.TAKE, MoveKind.TAKE:
                offered = [row[at] != NOTHING for row, at in zip(fields["clusters"], fields["figures"], strict=True)]
                empty = [cluster for cluster, there in enumerate(offered) if argument >> cluster & 1 and not there]
                return (
                    f"no piece is at the figure of cluster {empty[0]}" if empty else "at least one piece must be taken"
                )
            case Phase.KEEP, MoveKind.KEEP:
                for piece, drawn in enumerate(fields["drawn"]):
                    if argument >> 3 * piece & 7 > drawn:
                        return f"chaos drew {drawn} {pieces[piece]}"
                return f"{min(self.edition.core.keep, sum(fields['drawn']))} pieces must be kept"
            case Phase.PLACE, MoveKind.PLACE:
                piece = argument >> 8
                if not own[piece]:
                    return f"no {pieces[piece]} is in the Observatory of seat {fields['seat']}"
                if piece in fields["placed"]:
                    return f"a {pieces[piece]} piece was already placed in this turn"
                if piece == len(self.edition.colors):
                    return "the black-hole track is full"
                return self.why_no_star(fields["galaxy"][fields["seat"]], piece, argument & 0xFF)
            case Phase.ADVANCE, MoveKind.ADVANCE:
                if argument >> 8 == GROUPS.index("card") and argument & 0xFF not in fields["advanced"]:
                    return "the card is not in play"
                return "the marker is at the end of its scale"
            case _:
                return f"seat {fields['seat']} has to {MOVES_OF_PHASE[phase]}"

    def why_no_star(self, galaxy: Sequence[int], color: int, space: int) -> str:
        """Why a star of this colour may not go to a space."""
        if galaxy[space] != NOTHING:
            return f"space {space} holds a star"
        linked = [one + other - space for one, other, _ in self.edition.core.links if space in (one, other)]
        for neighbour in linked:
            if galaxy[neighbour] == color:
                return f"space {neighbour}, linked to it, holds a star of the same colour"
        if any(star != NOTHING for star in galaxy):
            return f"space {space} is linked to no star"
        first_star_orbit = next(
            place.orbit for i, place in enumerate(self.edition.spaces) if self.edition.core.first_star_spaces >> i & 1
        )
        return f"the first star goes to orbit {first_star_orbit}"
