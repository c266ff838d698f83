// Images of messages: how many there may be, and which go along.
export const IMAGES = 16;
export const IMAGE_BYTES = 5_000_000;
export const ALL_BYTES = 11_000_000; // a request may have 16 MB, in which images take four thirds of their size

/** The bytes of images by their data URIs, which spend four characters on three bytes. */
export const bytesOf = (images) => images.reduce((sum, image) => sum + (image.length * 3) / 4, 0);

export const readAsAddress = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

/** The images of earlier messages that go along with a message, by their messages: of the newest, as many as there is room for beside
 * the `own` ones. */
export function imagesAlong(messages, own) {
  let room = ALL_BYTES - bytesOf(own);
  const along = new Map();
  for (const one of messages.filter((each) => each.images?.length).reverse()) {
    room -= bytesOf(one.images);
    if (room < 0) break;
    along.set(one, one.images);
  }
  return along;
}
