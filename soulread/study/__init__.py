"""Studies: functions that compute what a user asks for. Printing, JSON and pages only show it."""
