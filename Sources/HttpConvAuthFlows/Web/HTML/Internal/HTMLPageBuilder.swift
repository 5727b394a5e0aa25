/// Builds an ``HTMLPage`` from the events of a parser.
final class HTMLPageBuilder: HTMLEventHandler {
    private(set) var wantsMore = true

    private var page = HTMLPage()
    private var open: [HTMLOpenElement] = []
    private var title = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var text = HTMLTextCollector(limit: HTMLPage.Limit.text)
    private var alert = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var fields = HTMLFieldCollector()
    private var link: (href: String, text: HTMLTextCollector, isForScriptless: Bool)?
    private var formIndex: Int?

    // MARK: Events

    func start(_ name: String, _ attributes: [String: String]) {
        let element = HTMLOpenElement(name, attributes, in: open.last)
        open.append(element)
        guard open.count <= HTMLPage.Limit.depth else { return wantsMore = false }
        if name == "script" { page.hasScripts = true }
        guard !element.isIgnored else { return }
        if !element.isInline { separate() }
        switch name {
        case "base": page.baseHref = page.baseHref ?? attributes["href"]
        case "meta": readRefresh(attributes)
        case "form": beginForm(attributes)
        case "a", "area": beginLink(attributes)
        default: fields.start(name, attributes, form: formIndex, isInvisible: element.isInvisible)
        }
        if fields.isFull || page.forms.count > HTMLPage.Limit.forms { wantsMore = false }
    }

    func end(_ name: String) {
        // libxml2 ends elements in order; a stray end changes nothing.
        guard open.last?.name == name, let element = open.popLast(), !element.isIgnored else { return }
        if !element.isInline { separate() }
        switch name {
        case "form": formIndex = nil
        case "a": endLink()
        default: fields.end(name)
        }
    }

    func text(_ text: String) {
        guard let element = open.last, !element.isIgnored else { return }
        if element.name == "title" { return title.append(text) }
        if fields.takes(text) { return }
        guard !element.isInvisible else { return }
        link?.text.append(text)
        self.text.append(text)
        if element.isAlert { alert.append(text) }
    }

    /// The page so far, with every field in its form.
    func finish() -> HTMLPage {
        endLink()
        page.title = title.text
        page.text = text.text
        page.alert = alert.text
        fields.distribute(to: &page.forms)
        return page
    }

    // MARK: Elements

    private func separate() {
        text.separate()
        alert.separate()
        link?.text.separate()
        fields.separate()
    }

    private func beginForm(_ attributes: [String: String]) {
        var form = HTMLForm()
        form.id = attributes["id"]
        form.action = attributes["action"]
        form.method = HTMLForm.Method(rawValue: attributes["method"]?.lowercased() ?? "") ?? .get
        form.encoding = HTMLForm.Encoding(rawValue: attributes["enctype"]?.lowercased() ?? "") ?? .urlEncoded
        form.acceptCharset =
            attributes["accept-charset"]?.split { $0 == " " || $0 == "," }
            .lazy.compactMap { HTMLCharset(label: $0) }.first
        page.forms.append(form)
        formIndex = page.forms.count - 1
    }

    private func beginLink(_ attributes: [String: String]) {
        endLink()
        guard let href = attributes["href"], page.links.count < HTMLPage.Limit.links else { return }
        link = (href, HTMLTextCollector(limit: HTMLPage.Limit.label), open.last?.isForScriptless ?? false)
    }

    private func endLink() {
        guard let link else { return }
        page.links.append(HTMLPage.Link(href: link.href, text: link.text.text, isForScriptless: link.isForScriptless))
        self.link = nil
    }

    /// `5; url='elsewhere'`, quotes and `url=` being optional.
    private func readRefresh(_ attributes: [String: String]) {
        guard page.refresh == nil, attributes["http-equiv"]?.lowercased() == "refresh",
            let content = attributes["content"]?.drop(while: \.isWhitespace)
        else { return }
        let seconds = content.prefix { $0.isASCII && $0.isNumber }
        guard let delay = Int(seconds) ?? (content.first == "." ? 0 : nil) else { return }
        var rest = content.dropFirst(seconds.count).drop { $0.isNumber || $0 == "." }
        rest = rest.drop { $0.isWhitespace || $0 == ";" || $0 == "," }
        if rest.prefix(3).lowercased() == "url" {
            let value = rest.dropFirst(3).drop(while: \.isWhitespace)
            if value.first == "=" { rest = value.dropFirst().drop(while: \.isWhitespace) }
        }
        if let quote = rest.first, quote == "'" || quote == "\"" {
            rest = rest.dropFirst().prefix { $0 != quote }
        }
        page.refresh = HTMLPage.Refresh(delay: delay, url: rest.isEmpty ? nil : String(rest))
    }
}
