"""Card abstractions of hold'em: features of holdings, private states, and their joint chances."""
