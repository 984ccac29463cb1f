"""The games: `base` has the contract, `poker` plays any rule sheet, and each game has a sheet of its own."""
