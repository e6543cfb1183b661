"""What a position of Via Nebula promises its seats, reckoned plainly from the model of the rules.

Written from the formula at the head of nebula_core/via_nebula/estimate.pxd alone.
"""

from fractions import Fraction
from math import floor

from tests.nebula_core.via_nebula.model import Model


def promises(model: Model) -> list[Fraction]:
    """What every seat is promised, in points."""
    return [promise(model, seat) for seat in range(len(model.players))]


def promise(model: Model, seat: int) -> Fraction:
    """What one seat is promised."""
    player, values = model.players[seat], model.edition["score"]
    score = model.scores()[seat]
    points = Fraction(score["total"] - score["stacks"] - score["storehouse"])
    points += Fraction(len(player.storehouse) * values["storehouse_resource"])
    size = model.edition["pieces"]["meadow_stack_size"][str(len(model.players))]
    points += sixteenths(Fraction(values["emptied_stack"] * sum(size - tiles for tiles in player.stacks), size))
    if player.buildings_left:
        cards = [card for card in (*player.hand, *model.open) if card is not None]
        for site in player.sites:
            if site is not None:
                points += max((contract(model, card, site.resources) for card in cards), default=0)
    return points


def contract(model: Model, card: str, on_site: list[str]) -> Fraction:
    """What a site with these resources is worth for one contract."""
    cost = model.cards[card]["cost"]
    missing = list(cost)
    for resource in on_site:
        if resource in missing:
            missing.remove(resource)
    part = 1 - Fraction(len(missing), len(cost))
    points: int = model.cards[card]["points"]
    return sixteenths((points + 1) * Fraction(3, 4) * part**2)


def sixteenths(points: Fraction) -> Fraction:
    """These points in whole sixteenths."""
    return Fraction(floor(points * 16), 16)
