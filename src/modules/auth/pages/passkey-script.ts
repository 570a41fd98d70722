/** The only script of our pages, for passkeys. The button stays hidden in browsers without passkeys. */
export const PASSKEY_SCRIPT = `"use strict";
const button = document.getElementById("passkey");
const problem = document.getElementById("passkey-problem");
const send = async (path, fields) => {
  const answer = await fetch(path, { method: "POST", body: new URLSearchParams(fields) });
  if (!answer.ok) throw new Error("the server answers " + answer.status);
  return answer.json();
};
const logIn = async (request) => {
  const options = await send("passkeys/ask", { request });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return send("passkeys/log-in", { request, response: JSON.stringify(credential) });
};
const add = async () => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await send("passkeys/offer", {}));
  const credential = await navigator.credentials.create({ publicKey });
  return send("passkeys/add", { response: JSON.stringify(credential) });
};
if (button !== null && window.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      problem.hidden = true;
      const { next } = await (button.dataset.request ? logIn(button.dataset.request) : add());
      location.assign(next);
    } catch {
      problem.hidden = false;
    }
  });
}
`;
