"""Studies: functions that compute what a user asks for and return it. Printing, JSON and pages only show it."""
