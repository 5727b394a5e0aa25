/// Builds an ``HTMLPage`` from the events of a parser.
final class HTMLPageBuilder: HTMLEventHandler {
    private(set) var wantsMore = true

    private var page = HTMLPage()
    private var open: [HTMLOpenElement] = []
    private var title = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var text = HTMLTextCollector(limit: HTMLPage.Limit.text)
    private var alert = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var block = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var alertBlock = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var heading = HTMLTextCollector(limit: HTMLPage.Limit.label)
    private var blocksUntilForm: Int?
    private var fields = HTMLFieldCollector()
    private var link: (href: String, text: HTMLTextCollector, isForScriptless: Bool)?
    private var formIndex: Int?

    /// - Parameter refresh: the one of the field
    init(refresh: HTMLPage.Refresh?) {
        page.refresh = refresh
        page.refresh?.isField = true
    }

    // MARK: Events

    func start(_ name: String, _ attributes: [String: String]) {
        let element = HTMLOpenElement(name, attributes, in: open.last)
        open.append(element)
        guard open.count <= HTMLPage.Limit.depth else { return wantsMore = false }
        if name == "script" { page.hasScripts = true }
        if name == "iframe" || name == "frame", attributes["src"]?.isEmpty == false, !element.isInvisible {
            page.hasFrames = true
        }
        guard !element.isIgnored else { return }
        if !element.isInline { separate() }
        switch name {
        case "base": page.baseHref = page.baseHref ?? attributes["href"]
        case "meta":
            if page.refresh == nil, attributes["http-equiv"]?.lowercased() == "refresh" {
                page.refresh = attributes["content"].flatMap { HTMLPage.Refresh($0) }
                page.refresh?.isForScriptless = element.isForScriptless
            }
            if attributes["http-equiv"]?.lowercased() == "content-security-policy", let policy = attributes["content"] {
                page.contentPolicies.append(policy)
            }
            if attributes["name"]?.lowercased() == "referrer" { page.referrerPolicy = attributes["content"] }
        case "form": beginForm(attributes)
        case HTMLPreparation.formEnd: endForm()
        case "a", "area": beginLink(attributes)
        default:
            fields.start(
                name, attributes, form: formIndex ?? element.form, isInvisible: element.isInvisible)
        }
        if fields.isFull || page.forms.count > HTMLPage.Limit.forms { wantsMore = false }
    }

    func end(_ name: String) {
        // libxml2 ends elements in order; an end tag without a start has no effect.
        guard open.last?.name == name, let element = open.popLast(), !element.isIgnored else { return }
        if element.isHeading, open.last?.isHeading != true, page.heading.isEmpty { page.heading = heading.text }
        if !element.isInline { separate() }
        switch name {
        case "a": endLink()
        default: fields.end(name)
        }
    }

    func text(_ text: String) {
        guard let element = open.last, !element.isIgnored else { return }
        if element.name == "title" { return title.append(text) }
        // A button in a link is what people read of the link.
        if fields.isInButton, !element.isInvisible { link?.text.append(text) }
        if fields.takes(text) { return }
        guard !element.isInvisible else { return }
        link?.text.append(text)
        self.text.append(text)
        block.append(text)
        if element.isHeading, page.heading.isEmpty { heading.append(text) }
        if element.isAlert {
            alert.append(text)
            alertBlock.append(text)
        }
    }

    /// Returns the page so far, with every field in its form.
    func finish() -> HTMLPage {
        endLink()
        separate()
        if let blocksUntilForm, formIndex == nil { page.blocks.removeSubrange(blocksUntilForm...) }
        page.title = title.text
        if page.heading.isEmpty { page.heading = page.blocks.first ?? "" }
        page.text = text.text
        page.alert = alert.text
        fields.distribute(to: &page.forms)
        return page
    }

    // MARK: Elements

    private func separate() {
        text.separate()
        alert.separate()
        heading.separate()
        Self.end(&block, into: &page.blocks)
        Self.end(&alertBlock, into: &page.alerts)
        link?.text.separate()
        fields.separate()
    }

    private static func end(_ block: inout HTMLTextCollector, into blocks: inout [String]) {
        let text = block.text
        guard !text.isEmpty else { return }
        block = HTMLTextCollector(limit: HTMLPage.Limit.label)
        if blocks.count < HTMLPage.Limit.blocks { blocks.append(text) }
    }

    private func beginForm(_ attributes: [String: String]) {
        // As in browsers, there is no form in a form.
        guard formIndex == nil else { return }
        var form = HTMLForm()
        form.id = attributes["id"]
        form.action = attributes["action"]
        form.method = HTMLForm.Method(attribute: attributes["method"])
        form.encoding = HTMLForm.Encoding(attribute: attributes["enctype"])
        form.skipsValidation = attributes["novalidate"] != nil
        form.isLeftToScripts = Self.isAlwaysStopped(attributes["onsubmit"] ?? "")
        form.acceptCharset =
            attributes["accept-charset"]?.split { $0 == " " || $0 == "," }
            .lazy.compactMap { HTMLCharset(label: $0) }.first
        page.forms.append(form)
        formIndex = page.forms.count - 1
        open[open.count - 1].form = formIndex
    }

    /// Whether a handler of `submit` only prevents the sending.
    private static func isAlwaysStopped(_ handler: String) -> Bool {
        let words = handler.asciiLowercased.prefix(200).split { $0.isWhitespace || $0 == ";" }
        return words.first == "return" && words.dropFirst().first == "false"
    }

    /// Ends the form for the controls that follow, except those inside its element.
    private func endForm() {
        guard formIndex != nil else { return }
        formIndex = nil
        blocksUntilForm = page.blocks.count
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
}
