"""What tests of pages look at: a page with all that must not happen on it, and how well it can be read."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Request


class Watched:
    """A page, with everything that must not happen on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


def assert_accessible(page: Page) -> None:
    """No violation of what axe-core checks: WCAG 2 A and AA, and good practice."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def contrast(page: Page, selector: str) -> float:
    """WCAG's contrast of an element's text against what is behind it, as the browser paints them."""
    ratio: float = page.locator(selector).first.evaluate(
        """element => {
          const pixel = (colours) => {
            const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
            for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const light = (rgb) => rgb
            .map((part) => part / 255)
            .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
            .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
          const behind = ["canvas"];
          for (let at = element, all = []; at; at = at.parentElement) {
            all.unshift(getComputedStyle(at).backgroundColor);
            if (!at.parentElement) behind.push(...all);
          }
          const dark = matchMedia("(prefers-color-scheme: dark)").matches;
          behind[0] = dark ? "#121212" : "#ffffff";
          const style = getComputedStyle(element);
          const text = light(pixel([...behind, style.color]));
          const ground = light(pixel(behind));
          const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
          return 1 + (ratio - 1) * Number(style.opacity);
        }"""
    )
    return ratio
