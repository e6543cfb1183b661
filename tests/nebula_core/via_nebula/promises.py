"""What a position of Via Nebula promises its seats, reckoned plainly from the model of the rules.

Written from the formula at the head of nebula_core/via_nebula/estimate.pxd alone.
"""

from fractions import Fraction
from math import floor

from tests.nebula_core.via_nebula.model import Model, Site


def promises(model: Model) -> list[Fraction]:
    """What every seat is promised, in points."""
    return [promise(model, seat) for seat in range(len(model.players))]


def promise(model: Model, seat: int) -> Fraction:
    """What one seat is promised."""
    player, values = model.players[seat], model.edition["score"]
    score = model.scores()[seat]
    points = Fraction(score["total"] - score["stacks"] - score["storehouse"])
    points -= sixteenths(Fraction(2 * score["contracts"], 5))
    points += Fraction(3 * len(player.buildings))
    points += Fraction(len(player.storehouse) * values["storehouse_resource"])
    exploited = sum(each.count for each in model.exploitations.values() if each.owner == seat)
    points += sixteenths(Fraction(4 * exploited, 5)) * Fraction(values["storehouse_resource"])
    size = model.edition["pieces"]["meadow_stack_size"][str(len(model.players))]
    points += sixteenths(Fraction(values["emptied_stack"] * sum(size - tiles for tiles in player.stacks), size))
    if player.buildings_left:
        cards = [card for card in (*player.hand, *model.open) if card is not None]
        for site in player.sites:
            if site is not None:
                near = site.resources + joined_to(model, site)
                points += max((contract(model, card, site.resources, near) for card in cards), default=0)
    return points


def joined_to(model: Model, site: Site) -> list[str]:
    """The resources of all exploitations from which they could be transported to a site."""
    return [
        resource
        for at, each in model.exploitations.items()
        if model.joined(at, site.at)
        for resource in [each.resource] * each.count
    ]


def contract(model: Model, card: str, on_site: list[str], near: list[str]) -> Fraction:
    """What a site with these resources on it and near it is worth for one contract."""
    part, could = part_of(model, card, on_site), part_of(model, card, near)
    points: int = model.cards[card]["points"]
    return sixteenths((points + 1) * (Fraction(3, 7) * part**2 + Fraction(1, 2) * could**2))


def part_of(model: Model, card: str, resources: list[str]) -> Fraction:
    """How much of what a contract costs these resources are."""
    cost = model.cards[card]["cost"]
    missing = list(cost)
    for resource in resources:
        if resource in missing:
            missing.remove(resource)
    return 1 - Fraction(len(missing), len(cost))


def sixteenths(points: Fraction) -> Fraction:
    """These points in whole sixteenths."""
    return Fraction(floor(points * 16), 16)
