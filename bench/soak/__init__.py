"""An hour of random programs, hostile ones among them: does anything stay behind, or grow?"""
