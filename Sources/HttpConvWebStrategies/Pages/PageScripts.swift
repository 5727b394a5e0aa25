/// Scripts that run in a page, in an isolated world that the page's scripts cannot reach. Values are passed as
/// arguments, never as part of the script (security rule S17).
enum PageScripts {
    /// `seen`: whether an element has a place on the page. `typed`: whether a person could type into a field. Some
    /// pages have fields for other purposes that are transparent, without size, or moved off the page.
    private static let visibility = """
        const seen = element => element.getClientRects().length > 0;
        const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
        const typed = element => {
          if (attribute(element, 'aria-hidden') === 'true' && element.tabIndex < 0) return false;
          const box = element.getBoundingClientRect();
          if (box.width < 2 || box.height < 2 || box.bottom + scrollY <= 0) return false;
          // A page that is read from right to left can be scrolled to the left.
          const isMirrored = getComputedStyle(document.documentElement).direction === 'rtl';
          if (box.right + scrollX <= 0 && !isMirrored) return false;
          // Some pages draw boxes for the digits of a code, with a transparent field in front that has the focus.
          const checkOpacity = document.activeElement !== element;
          const style = getComputedStyle(element);
          // Older browsers lack checkVisibility.
          return element.checkVisibility
            ? element.checkVisibility({ checkOpacity, checkVisibilityCSS: true })
            : style.visibility === 'visible' && !(checkOpacity && style.opacity === '0');
        };
        """

    /// The fields and buttons of a form, and those that belong to none, which pages with scripts have.
    ///
    /// A field without a `name` is called by its `id`, else by the hint of its `autocomplete`, else `username` or
    /// `password`. `buttonsOf` has the buttons that send the form, then those that only scripts react to: the latter
    /// without those that open a menu, and without links to another page.
    private static let parts = """
        \(visibility)
        const cut = (text, limit) => String(text || '').replace(/\\s+/g, ' ').trim().slice(0, limit);
        const all = Array.from(document.querySelectorAll('input, select, textarea, button, [role=button]')).slice(0, 2000);
        const isControl = element => ['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON'].includes(element.tagName);
        const formOf = element => isControl(element) ? element.form : Element.prototype.closest.call(element, 'form');
        const ownOf = form => all.filter(element => isControl(element) && element.form === form && !element.disabled);
        const submits = element => ['submit', 'image'].includes(element.type);
        // Pages draw their own check boxes and choices in front of transparent ones.
        const isChoice = element => ['checkbox', 'radio'].includes(element.type) || element.tagName === 'SELECT';
        const isField = element => isControl(element) && element.tagName !== 'BUTTON'
          && !['submit', 'image', 'button', 'reset', 'hidden'].includes(element.type)
          && (isChoice(element) ? seen(element) : typed(element));
        const isText = element => isField(element) && !isChoice(element) && element.type !== 'file';
        const namesOf = own => {
          const names = new Map();
          for (const element of own) {
            let name = element.name || element.id;
            // One box of several for the digits of a code has no such hint.
            if (!name && element.maxLength !== 1 && isField(element) && isText(element)) {
              const hints = String(element.autocomplete || '').split(/\\s+/).filter(hint => !['on', 'off', 'webauthn'].includes(hint));
              const kind = element.type === 'password' ? 'password' : element.type === 'search' ? '' : 'username';
              name = hints.pop() || kind;
              if (Array.from(names.values()).includes(name)) name = '';
            }
            if (name) names.set(element, name);
          }
          return names;
        };
        const labelOf = element => cut(element.innerText || element.value || element.alt
          || attribute(element, 'aria-label') || attribute(element, 'title'), 80);
        // A button with formmethod=dialog sends nothing.
        const sends = element => submits(element) && element.form && element.formMethod !== 'dialog';
        const isForScripts = element => {
          if (isControl(element) && !(element.type === 'button' || submits(element) && !element.form)) return false;
          if (element.disabled || attribute(element, 'aria-disabled') === 'true') return false;
          if (['aria-haspopup', 'aria-expanded'].some(name => attribute(element, name) !== null)) return false;
          return !/^(?!#|javascript:)/i.test(attribute(element, 'href') ?? '#');
        };
        const buttonsOf = form => {
          const own = all.filter(element => formOf(element) === form && !element.disabled && seen(element));
          return own.filter(sends).concat(own.filter(isForScripts)).slice(0, 20);
        };
        """

    /// Describes the fields that a person could fill in. Reads properties through the prototypes, because fields of the
    /// same name may hide a form's own members.
    static let look = """
        function() {
          \(parts)
          const absolute = reference => { try { return new URL(reference || location.href, document.baseURI).href } catch { return '' } };
          const texts = all.filter(isText);
          // The button of a notice about cookies, a part of the page without a field, belongs to no other form.
          const isAboutCookies = element => {
            if (!texts.length) return false;
            for (let part = element; part && part !== document.body && !(part instanceof HTMLFormElement);
              part = part.parentElement) {
              if (texts.some(field => part.contains(field))) return false;
              if (/cookie/i.test(part.textContent)) return true;
            }
            return false;
          };
          const describe = (form, index) => {
            const own = ownOf(form);
            const called = namesOf(own);
            const pressed = buttonsOf(form);
            const unchecked = !form || attribute(form, 'novalidate') !== null;
            const action = form ? attribute(form, 'action') : '';
            const fields = own.filter(element => called.has(element) && isField(element))
              .map(element => {
                const ticked = ['checkbox', 'radio'].includes(element.type);
                const choice = isChoice(element);
                return {
                  name: called.get(element), id: element.id || '', password: element.type === 'password', choice,
                  code: element.autocomplete === 'one-time-code', autocomplete: element.autocomplete,
                  label: cut(Array.from(element.labels || []).map(label => label.innerText).join(' ')
                    || attribute(element, 'aria-label') || element.placeholder, 200),
                  // A choice keeps its default, unless the browser would demand one.
                  required: choice ? !unchecked && !!element.validity && element.validity.valueMissing : !!element.required,
                  value: ticked ? (element.checked ? element.value : '') : cut(element.value, 1000),
                  choices: element.tagName === 'SELECT'
                    ? Array.from(element.options).map(option => option.value).filter(value => value).slice(0, 20)
                    : [element.type === 'checkbox' ? 'on' : cut(element.value, 80)]
                };
              });
            const methods = [form && attribute(form, 'method'), ...pressed.filter(sends).map(element => element.formMethod)];
            return {
              index, action: absolute(action), fields,
              // Fields outside of forms are often there for a search.
              post: form ? methods.some(method => String(method).toLowerCase() === 'post') : fields.some(field => field.password),
              buttons: pressed.map(element => ({
                name: element.name || '', id: element.id || '', value: cut(element.value, 80), label: labelOf(element),
                sends: !!sends(element), skips: !!element.formNoValidate, isAboutCookies: !form && isAboutCookies(element),
                action: absolute(sends(element) && attribute(element, 'formaction') || action)
              }))
            };
          };
          // Web components have their fields in trees of their own, which are not filled in.
          const rootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
          const elementsOf = tree => Array.from(tree.querySelectorAll('*')).slice(0, 5000);
          const hasShadow = (tree, depth) => depth < 5 && elementsOf(tree).some(element => {
            const inner = rootOf.call(element);
            return !!inner && (!!inner.querySelector('input:not([type=hidden])') || hasShadow(inner, depth + 1));
          });
          const forms = Array.from(document.querySelectorAll('form')).slice(0, 50).map(describe);
          const rest = describe(null, -1);
          if (rest.fields.length || rest.buttons.length) forms.push(rest);
          const alarming = '[role=alert],[aria-live=assertive],' + ['error', 'alert', 'danger', 'warning', 'invalid', 'failure']
            .map(word => `[class*=${word} i],[id*=${word} i]`).join();
          const alerts = Array.from(document.querySelectorAll(alarming)).slice(0, 50)
            .filter(element => seen(element) && element.tagName !== 'LABEL' && !element.querySelector('input, select, textarea')
              && !Element.prototype.closest.call(element, 'a, button, input, [role=button]'));
          const alert = cut(alerts.filter(element => !alerts.some(other => other !== element && other.contains(element)))
            .map(element => element.innerText).join(' '), 200);
          const text = String(document.body && document.body.innerText || '').trim();
          const links = Array.from(document.querySelectorAll('a[href], area[href]')).slice(0, 200)
            .map(element => cut(`${attribute(element, 'href')} ${element.textContent}`, 200));
          const heading = Array.from(document.querySelectorAll('h1, h2, h3, h4, h5, h6, [role=heading]')).find(seen);
          return {
            url: location.href, origin: location.origin, isLoading: document.readyState === 'loading', forms, links,
            shadow: !texts.length && hasShadow(document, 0),
            title: cut(document.title, 200), alert, typable: texts.filter(element => !element.readOnly).length,
            heading: cut(heading ? heading.innerText : text.split('\\n')[0], 200), text: cut(text, 500)
          };
        }
        """

    /// Fills in and sends a form like a person: with events, and with its button or the Enter key. The values are for
    /// one origin (security rule S14). The script checks it, because the number of a world may meanwhile belong to
    /// another page, and a page cannot fake its origin. The key is an event for the field alone: a key of the keyboard
    /// would go to whatever has the focus by then, such as a button in a frame of another server.
    ///
    /// Without a button among the values, it presses the one of that number in `buttonsOf`, of the form or of the page's
    /// rest (`isOutside`), unless the number is negative. It presses none that has another label by now.
    static let fill = """
        async function(origin, index, values, number, label, isOutside) {
          \(parts)
          if (location.origin !== origin) return false;
          const form = index < 0 ? null : document.querySelectorAll('form')[index];
          if (form === undefined) return false;
          const given = new Map(Object.entries(values));
          const choose = () => {
            const named = buttonsOf(form).filter(element => sends(element) && given.has(element.name));
            const button = named.find(element => [element.value, labelOf(element)].includes(given.get(element.name)));
            return button || buttonsOf(isOutside ? null : form)[number] || null;
          };
          // A label may count down.
          const letters = text => text.replace(/[^\\p{L}]/gu, '');
          const isRight = button => label == null || given.has(button.name) || letters(labelOf(button)) === letters(label);
          let button = choose();
          if (button && !isRight(button)) return false;
          const own = ownOf(form);
          const called = namesOf(own);
          const set = (element, property, value) => {
            const kind = { INPUT: HTMLInputElement, SELECT: HTMLSelectElement, TEXTAREA: HTMLTextAreaElement }[element.tagName];
            Object.getOwnPropertyDescriptor(kind.prototype, property).set.call(element, value);
            for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }));
          };
          // Found before anything is filled in, because the page's scripts may react by hiding a field.
          const open = own.filter(isText);
          const filled = [];
          for (const [name, value] of given) {
            const named = own.filter(element => called.get(element) === name);
            // A text field whose name changes with each load is found by its id.
            for (const element of named.length ? named : open.filter(element => element.id === name)) {
              if (element.type === 'radio') {
                if (element.value === value) set(element, 'checked', true);
              } else if (element.type === 'checkbox') {
                set(element, 'checked', value === element.value || ['on', 'true', '1'].includes(value));
              } else if (element.tagName === 'SELECT') {
                const option = Array.from(element.options).find(o => o.value === value || o.text.trim() === value);
                if (option) set(element, 'value', option.value);
              } else if (open.includes(element)) {
                element.focus();
                set(element, 'value', value);
                filled.push(element);
              }
            }
          }
          // The values come in any order; a person ends with the last field on the page.
          const last = open.findLast(element => filled.includes(element)) || open.at(-1);
          // The page's scripts take note of the values first: many do so after the event.
          await new Promise(done => setTimeout(done));
          if (button && !(button.isConnected && !button.disabled && isRight(button))) {
            button = choose();
            if (button && !isRight(button)) return true;
          }
          if (button) {
            HTMLElement.prototype.click.call(button);
            return true;
          }
          const press = (kind, element) => element.dispatchEvent(new KeyboardEvent(kind, {
            key: 'Enter', code: 'Enter', keyCode: 13, which: 13, charCode: kind === 'keypress' ? 13 : 0,
            bubbles: true, cancelable: true, composed: true
          }));
          let leadsOn = true;
          if (last && last.isConnected) {
            last.focus();
            leadsOn = press('keydown', last) && press('keypress', last);
          }
          // The Enter key does not send a form that has several texts and no button.
          if (leadsOn && form && form.isConnected && (open.length < 2 || all.some(element => element.form === form && submits(element)))) {
            HTMLFormElement.prototype.requestSubmit.call(form);
          }
          if (last && last.isConnected) press('keyup', last);
          return true;
        }
        """
}
