from __future__ import annotations

import pytest

from assay.context.html import html_to_markdown

GENERATED = """
<html><head><title>Weighing — Assay office</title><base href="https://a.test/docs/"></head><body>
<nav><a href="/menu">Menu</a></nav>
<div class="sphinxsidebar">On this page</div>
<div role="main"><h1>Weighing<a class="headerlink" href="#weighing">¶</a></h1>
<p>Use <code>weigh(*args)</code>, as in <a href="gold.html">gold</a>.</p>
<div class="highlight-python notranslate"><div class="highlight">
<pre><span></span><span>def</span> f():
    return <span>1</span>
</pre></div></div>
<pre><code class="language-js">a * b;</code></pre>
<pre class="language-text">```</pre>
<table><tr><th>metal</th><th>g</th></tr><tr><td>gold</td><td>19.3</td></tr></table>
<button>Copy</button><img src="scale.png" alt="A scale">
</div><footer>Imprint</footer><script>alert(1)</script></body></html>
"""
MARKDOWN = """# Weighing

Use `weigh(*args)`, as in gold.

```python
def f():
    return 1
```

```js
a * b;
```

````
```
````

| metal | g |
| --- | --- |
| gold | 19.3 |"""


def test_a_page_of_a_documentation_generator() -> None:
    title, text, links = html_to_markdown(GENERATED)
    assert title == "Weighing"
    assert text.strip() == MARKDOWN
    assert links == (
        "https://a.test/menu",
        "https://a.test/docs/#weighing",
        "https://a.test/docs/gold.html",
    )


def test_a_page_whose_content_has_to_be_guessed() -> None:
    paragraph = "<p>Gold is weighed on a scale that was balanced before, twice and with care.</p>"
    html = f"<title>Notes</title><div id=menu><a href=x>Menu</a></div><div>{paragraph * 8}</div>"
    title, text, links = html_to_markdown(html)
    assert (title, links) == ("Notes", ("x",))
    assert "Gold is weighed" in text
    assert "Menu" not in text


def test_a_page_with_hardly_any_text() -> None:
    assert html_to_markdown("<p>short")[1].strip() == "short"
    assert html_to_markdown("")[1].strip() == ""


@pytest.mark.parametrize(("base", "link"), [("//[", "a"), ("https://example.org/", "//[")])
def test_an_address_that_is_none_breaks_no_page(base: str, link: str) -> None:
    page = f"<base href='{base}'><main><p>text</p><a href='{link}'>there</a></main>"
    _, text, links = html_to_markdown(page)
    assert "text" in text
    assert links == (link,)
