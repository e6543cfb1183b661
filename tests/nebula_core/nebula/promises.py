"""What a position of Nebula promises its seats, reckoned plainly from the model of the rules.

Written from the formula at the head of nebula_core/nebula/estimate.pxd alone.
"""

from fractions import Fraction

from tests.nebula_core.nebula.model import BLACK_HOLE, Model


def promises(model: Model) -> list[Fraction]:
    """What every seat is promised, in points."""
    return [promise(model, seat) for seat in range(len(model.players))]


def promise(model: Model, seat: int) -> Fraction:
    """What one seat is promised."""
    begun = constellations(model, seat) + public(model, seat) + personal(model, seat)
    return model.scores()[seat]["total"] + begun + pieces(model, seat)


def constellations(model: Model, seat: int) -> Fraction:
    """Of those that are not complete."""
    found = Fraction(0)
    for constellation in model.constellations:
        name, points = constellation["name"], constellation["points"]
        if model.full:
            points += model.edition["values"]["constellation"][model.values["constellation", name]]
        spaces = model.spaces_of("constellation", name)
        stars = sum(space in model.players[seat].galaxy for space in spaces)
        if stars < len(spaces):
            found += sixteenths(points * Fraction(stars, len(spaces)) ** 2)
    return found


def public(model: Model, seat: int) -> Fraction:
    """Of the tasks without its marker, but for those with nothing between 0 and satisfied."""
    found = Fraction(0)
    for card, marked in model.markers.items():
        task = model.public_cards[card]
        least = task.get("at_least", 1)
        if seat not in marked and least > 1:
            part = min(Fraction(1), Fraction(model.count(model.players[seat], task["counter"]), least))
            found += sixteenths(task["later" if marked else "first"] * part**2)
    return found


def personal(model: Model, seat: int) -> Fraction:
    """Of the next tier of the task kept."""
    player = model.players[seat]
    if player.kept is None:
        return Fraction(0)
    task = model.personal_cards[player.kept]
    count = model.count(player, task["counter"])
    reached = [(0, 0), *(tier for tier in task["tiers"] if tier[0] <= count)]
    ahead = [tier for tier in task["tiers"] if tier[0] > count]
    if not ahead:
        return Fraction(0)
    (before, had), (least, points) = reached[-1], ahead[0]
    return sixteenths(Fraction(7, 4) * (points - had) * Fraction(count - before, least - before))


def pieces(model: Model, seat: int) -> Fraction:
    """Of what lies in the galaxy, in the Observatory and on the track."""
    player = model.players[seat]
    star = 6 if model.full else 3
    spaces = len(model.edition["galaxy"]["spaces"])
    placed = len(player.galaxy)
    waiting = sum(piece != BLACK_HOLE for piece in player.observatory)
    in_galaxy = sixteenths(star * placed * (1 - Fraction(placed, 2 * spaces)))
    return in_galaxy + sixteenths(Fraction(star * waiting, 2) * (1 - Fraction(placed, spaces))) + player.holes


def sixteenths(points: Fraction) -> Fraction:
    """These points, which are not negative, in whole sixteenths."""
    return Fraction(int(points * 16), 16)
