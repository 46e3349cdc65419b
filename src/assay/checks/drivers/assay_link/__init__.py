"""The link between tests and a solution that run in two processes.

The test side connects with `assay_link.remote.connect`; the solution side serves with
`assay_link.serving.serve`. Both run inside sandboxes, on Python 3.8 and newer, with the standard
library alone. A message is a frame of JSON (`frames`). Values cross as data (`encoding`,
`decoding`); lists, dicts and other containers that can change stay the same on both sides
(`shares`); what is not data stays with its owner, and the other side holds a proxy of it
(`objects`, `proxies`, `mirrors`, `functions`). `link` asks and answers.

The solution's process may be hostile. The test side therefore believes nothing of a frame but that
it is data: whatever is out of order ends the link for good (`errors.LinkBroken`), what the
solution may ask for is limited (`guard`), and a comparison which the solution's own objects decide
is counted (`comparing`).
"""
