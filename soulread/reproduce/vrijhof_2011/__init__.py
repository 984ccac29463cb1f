"""Loki, Poki and Vexbot, as Vrijhof (2011) tells of them, and the papers behind."""
