// The images that go with a message.
import { html, IconButton } from "../lib/view.js";
import { t } from "../lib/text.js";

/** Shows images. `remove`, where they can be taken away, gets the place of one. */
export const Pictures = ({ images, remove }) => html`
  <ul class="pictures">${images.map((image, at) => html`
    <li key=${at}><img src=${image} alt=${t("image")} />${remove && html`<${IconButton} icon="close" name=${t("removeImage")} onClick=${() => remove(at)} />`}</li>`)}</ul>`;
