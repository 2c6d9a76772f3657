"""A local page where people label items, settle what no rule and no judge decided, and write gold."""
