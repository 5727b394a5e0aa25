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

    /// Describes the fields that a person could fill in. Reads properties through the prototypes, because fields of the
    /// same name may hide a form's own members.
    static let look = """
        function(names) {
          \(visibility)
          const cut = (text, limit) => String(text || '').replace(/\\s+/g, ' ').trim().slice(0, limit);
          const absolute = reference => { try { return new URL(reference || location.href, document.baseURI).href } catch { return '' } };
          const all = Array.from(document.querySelectorAll('input, select, textarea, button')).slice(0, 2000);
          const buttons = ['submit', 'image', 'button', 'reset', 'hidden'];
          const forms = Array.from(document.querySelectorAll('form')).slice(0, 50).map((form, index) => {
            const own = all.filter(element => element.form === form && !element.disabled);
            const sends = own.filter(element => ['submit', 'image'].includes(element.type) && element.formMethod !== 'dialog'
              && seen(element));
            const unchecked = attribute(form, 'novalidate') !== null;
            const named = sends.findIndex(element => names.includes(element.name));
            // Pages draw their own check boxes and choices in front of transparent ones.
            const isChoice = element => ['checkbox', 'radio'].includes(element.type) || element.tagName === 'SELECT';
            const fields = own.filter(element => element.name && !buttons.includes(element.type))
              .filter(element => isChoice(element) ? seen(element) : typed(element))
              .map(element => {
                const ticked = ['checkbox', 'radio'].includes(element.type);
                const choice = isChoice(element);
                return {
                  name: element.name, password: element.type === 'password', choice,
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
            if (named >= 0) {
              fields.push({ name: sends[named].name, choice: true, required: false, password: false, value: '', choices: [] });
            }
            const post = [attribute(form, 'method'), ...sends.map(element => element.formMethod)]
              .some(method => String(method).toLowerCase() === 'post');
            return {
              index, action: absolute(attribute(form, 'action')), fields, named, post,
              skips: named >= 0 && !!sends[named].formNoValidate,
              buttons: sends.slice(0, 20).map(element => ({
                name: element.name, value: cut(element.value, 80), label: cut(element.innerText || element.value || element.alt, 80),
                action: absolute(attribute(element, 'formaction') || attribute(form, 'action'))
              }))
            };
          });
          const alarming = '[role=alert],[aria-live=assertive],' + ['error', 'alert', 'danger', 'warning', 'invalid', 'failure']
            .map(word => `[class*=${word} i],[id*=${word} i]`).join();
          const alerts = Array.from(document.querySelectorAll(alarming)).slice(0, 50)
            .filter(element => seen(element) && element.tagName !== 'LABEL' && !element.querySelector('input, select, textarea'));
          const alert = cut(alerts.filter(element => !alerts.some(other => other !== element && other.contains(element)))
            .map(element => element.innerText).join(' '), 200);
          const text = String(document.body && document.body.innerText || '').trim();
          const heading = Array.from(document.querySelectorAll('h1, h2, h3, h4, h5, h6, [role=heading]')).find(seen);
          return {
            url: location.href, origin: location.origin, isLoading: document.readyState === 'loading', forms,
            title: cut(document.title, 200), alert,
            heading: cut(heading ? heading.innerText : text.split('\\n')[0], 200), text: cut(text, 500)
          };
        }
        """

    /// Fills in and sends a form like a person: with events, and with its button. The values are for one origin
    /// (security rule S14). The script checks it, because the number of a world may meanwhile belong to another page,
    /// and a page cannot fake its origin. Without a button among the values, it presses the visible one of that number.
    static let fill = """
        function(origin, index, values, number) {
          \(visibility)
          if (location.origin !== origin) return false;
          const form = document.querySelectorAll('form')[index];
          if (!form) return false;
          const own = Array.from(document.querySelectorAll('input, select, textarea, button'))
            .filter(element => element.form === form && !element.disabled);
          const set = (element, property, value) => {
            const kind = { INPUT: HTMLInputElement, SELECT: HTMLSelectElement, TEXTAREA: HTMLTextAreaElement }[element.tagName];
            Object.getOwnPropertyDescriptor(kind.prototype, property).set.call(element, value);
            for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }));
          };
          // Found before anything is filled in, because the page's scripts may react by hiding a field.
          const open = own.filter(typed);
          const submits = element => ['submit', 'image'].includes(element.type);
          // A button with formmethod=dialog sends nothing.
          const sends = element => submits(element) && element.formMethod !== 'dialog';
          let button = null;
          for (const [name, value] of Object.entries(values)) {
            for (const element of own.filter(element => element.name === name)) {
              if (submits(element)) {
                if (sends(element) && (!button || element.value === value)) button = element;
              } else if (element.type === 'radio') {
                if (element.value === value) set(element, 'checked', true);
              } else if (element.type === 'checkbox') {
                set(element, 'checked', value === element.value || ['on', 'true', '1'].includes(value));
              } else if (element.tagName === 'SELECT') {
                const option = Array.from(element.options).find(o => o.value === value || o.text.trim() === value);
                if (option) set(element, 'value', option.value);
              } else if (open.includes(element) && !['button', 'reset', 'file'].includes(element.type)) {
                element.focus();
                set(element, 'value', value);
              }
            }
          }
          button = button || own.filter(element => sends(element) && seen(element))[number]
            || own.find(element => element.type === 'button' && seen(element));
          if (button) HTMLElement.prototype.click.call(button);
          else HTMLFormElement.prototype.requestSubmit.call(form);
          return true;
        }
        """
}
