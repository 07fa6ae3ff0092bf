"""The charts as Vega-Lite specifications: one for the interactive chart in the page and for the picture in the post."""
