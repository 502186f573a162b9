"""The words that the embedded questions are made of, written for this project."""

from __future__ import annotations

_CROPS = "Rye Oats Barley Millet Flax Clover Beans Turnip Hops Maize Lentil Sorrel"
_PLACES = "Marsh Hollow Quarry Ferry Orchard Chapel Bridge Meadow Weir Kiln Tower Ridge"
_PEOPLE = (
    "Tilda Brock, Owen Harrow, Marta Quill, Jonas Fell, Edith Vane, Piers Lowe, Nell Carrow, Hugo Stride, Ada Winter, "
    "Silas Croft, Ruth Penny, Tom Barrow"
)
_NOUNS = """
    lantern harbour anvil basket candle drawer engine feather garden hammer island jacket kettle ladder mirror needle
    otter pebble quiver ribbon saddle timber umbrella violin walnut yarrow barrel copper dagger ember falcon goblet
    hazel indigo juniper kernel locket marble nettle oyster parcel raven sable thimble velvet willow zephyr acorn
    bramble cradle
"""

CROPS = tuple(_CROPS.split())
PLACES = tuple(_PLACES.split())
PEOPLE = tuple(_PEOPLE.split(", "))
NOUNS = tuple(_NOUNS.split())
TITLES = {
    "chart": ("Harvest by field", "Sacks in store", "Carts per week", "Seed sold"),
    "table": ("Stock of the barn", "Rents of the year", "Deliveries", "Orders taken"),
    "list": ("Words of the day", "Things in the chest", "Found on the shore", "Names of boats"),
    "notice": ("Notice", "Closed path", "Market day", "To all tenants"),
}
