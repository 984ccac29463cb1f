"""How well models read cards: ranges scored by cards that were really held; chances that come true."""
