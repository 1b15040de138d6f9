"""Charts as inline SVG that follows light and dark: matplotlib draws, colours become CSS variables by meaning."""
