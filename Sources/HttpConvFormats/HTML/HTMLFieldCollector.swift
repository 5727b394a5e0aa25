/// Collects the controls of a page with their labels, and assigns each to its form at the end.
struct HTMLFieldCollector {
    private struct Entry {
        var field: HTMLField
        var form: Int?
        /// The `form` attribute, which overrides the enclosing form.
        var formID: String?
        /// The enclosing label. A label that names the control's `id` takes precedence.
        var label: Int?
        var ownLabel: String
    }

    private struct Label {
        var target: String?
        var text = HTMLTextCollector(limit: HTMLPage.Limit.label)
    }

    private struct RadioGroup: Hashable {
        let form: Int
        let name: String
    }

    private struct Fieldset {
        let isDisabled: Bool
        /// Whether its first legend is open; nil before it. Controls in it are not disabled (HTML §4.10.15).
        var isInLegend: Bool?
    }

    /// The control that the current text belongs to.
    private enum Sink {
        case none
        case button(Int, HTMLTextCollector)
        case textArea(Int)
        case option(Int, HTMLTextCollector, hasValue: Bool)
    }

    private var entries: [Entry] = []
    private var labels: [Label] = []
    private var openLabel: Int?
    private var openSelect: Int?
    private var textArea = ""
    private var isGroupDisabled = false
    private var fieldsets: [Fieldset] = []
    private var optionCount = 0
    private var sink = Sink.none

    var isFull: Bool { entries.count > HTMLPage.Limit.fields || optionCount > HTMLPage.Limit.options }

    mutating func start(_ name: String, _ attributes: [String: String], form: Int?, isInvisible: Bool) {
        switch name {
        case "input", "select", "textarea", "button":
            closeSink()
            add(HTMLField(name, attributes), attributes, form: form, isInvisible: isInvisible)
            if name == "select" { openSelect = entries.count - 1 }
            if name == "button" { sink = .button(entries.count - 1, HTMLTextCollector(limit: HTMLPage.Limit.label)) }
            if name == "textarea" { sink = .textArea(entries.count - 1) }
        case "option": beginOption(attributes)
        case "optgroup": isGroupDisabled = attributes["disabled"] != nil
        case "label" where labels.count < HTMLPage.Limit.fields:
            labels.append(Label(target: attributes["for"]))
            openLabel = labels.count - 1
        case "fieldset":
            fieldsets.append(Fieldset(isDisabled: attributes["disabled"] != nil))
        case "legend":
            guard let last = fieldsets.indices.last, fieldsets[last].isInLegend == nil else { break }
            fieldsets[last].isInLegend = true
        default: break
        }
    }

    mutating func end(_ name: String) {
        switch name {
        case "label": openLabel = nil
        case "select":
            closeSink()
            openSelect = nil
        case "button", "textarea", "option": closeSink()
        case "optgroup": isGroupDisabled = false
        case "legend":
            if let last = fieldsets.indices.last, fieldsets[last].isInLegend == true {
                fieldsets[last].isInLegend = false
            }
        case "fieldset": _ = fieldsets.popLast()
        default: break
        }
    }

    /// Whether a button is open.
    var isInButton: Bool { if case .button = sink { true } else { false } }

    /// Whether a text belongs to a control and not to the page. A label's text belongs to the page too.
    mutating func takes(_ text: String) -> Bool {
        switch sink {
        case .button(let index, var collector):
            collector.append(text)
            sink = .button(index, collector)
        case .textArea: textArea += text
        case .option(let index, var collector, let hasValue):
            collector.append(text)
            sink = .option(index, collector, hasValue: hasValue)
        case .none:
            if openSelect != nil { return true }
            if let openLabel { labels[openLabel].text.append(text) }
            return false
        }
        return true
    }

    mutating func separate() { if let openLabel { labels[openLabel].text.separate() } }

    /// Assigns the controls to their forms, in the order of the page. Controls without a form are dropped.
    mutating func distribute(to forms: inout [HTMLForm]) {
        closeSink()
        var formsByID: [String: Int] = [:]
        for (index, form) in forms.enumerated() { if let id = form.id, formsByID[id] == nil { formsByID[id] = index } }
        var labelsByTarget: [String: String] = [:]
        for label in labels { if let target = label.target { labelsByTarget[target, default: ""] += label.text.text } }
        var checkedRadios: [RadioGroup: Int] = [:]
        for (number, var entry) in entries.enumerated() {
            guard let form = entry.formID.map({ formsByID[$0] }) ?? entry.form else { continue }
            if entry.field.label.isEmpty {
                let named = entry.field.id.flatMap { labelsByTarget[$0] } ?? ""
                let around = entry.label.map { labels[$0].text.text } ?? ""
                entry.field.label = [named, around, entry.ownLabel].first { !$0.isEmpty } ?? ""
            }
            entry.field.number = number
            let place = forms[form].fields.count
            if entry.field.kind == .radio, entry.field.isChecked, let name = entry.field.name,
                let before = checkedRadios.updateValue(place, forKey: RadioGroup(form: form, name: name))
            {
                // The last one counts.
                forms[form].fields[before].isChecked = false
            }
            forms[form].fields.append(entry.field)
        }
    }

    private mutating func add(
        _ field: HTMLField, _ attributes: [String: String], form: Int?, isInvisible: Bool
    ) {
        var field = field
        field.id = attributes["id"]
        field.isInvisible = isInvisible || attributes["hidden"] != nil
        field.isDisabled = field.isDisabled || fieldsets.contains { $0.isDisabled && $0.isInLegend != true }
        var own = HTMLTextCollector(limit: HTMLPage.Limit.label)
        own.append(attributes["aria-label"] ?? attributes["placeholder"] ?? attributes["title"] ?? "")
        entries.append(
            Entry(
                field: field, form: form, formID: attributes["form"], label: openLabel, ownLabel: own.text))
    }

    private mutating func beginOption(_ attributes: [String: String]) {
        closeSink()
        guard let openSelect else { return }
        optionCount += 1
        entries[openSelect].field.options.append(
            HTMLField.Option(
                value: attributes["value"] ?? "", label: attributes["label"] ?? "",
                isSelected: attributes["selected"] != nil,
                isDisabled: isGroupDisabled || attributes["disabled"] != nil))
        sink = .option(
            openSelect, HTMLTextCollector(limit: HTMLPage.Limit.label), hasValue: attributes["value"] != nil)
    }

    private mutating func closeSink() {
        switch sink {
        case .none: return
        case .button(let index, let collector):
            if !collector.text.isEmpty { entries[index].field.label = collector.text }
        // The first line break after the tag is ignored (HTML §13.1.2.5).
        case .textArea(let index):
            // From libxml2 2.14 on, a comment in it is text, also one that divides a long text.
            textArea = textArea.replacing(HTMLPreparation.divider, with: "")
            let first = ["\r\n", "\n", "\r"].first { textArea.starts(withBytesOf: $0) } ?? ""
            entries[index].field.value = String(Substring(textArea[...].utf8.dropFirst(first.utf8.count)))
            textArea = ""
        case .option(let index, let collector, let hasValue):
            let last = entries[index].field.options.count - 1
            if entries[index].field.options[last].label.isEmpty {
                entries[index].field.options[last].label = collector.text
            }
            if !hasValue { entries[index].field.options[last].value = collector.text }
        }
        sink = .none
    }
}

extension HTMLField {
    /// Creates a control from its tag.
    fileprivate init(_ element: String, _ attributes: [String: String]) {
        let type = attributes["type"]?.lowercased() ?? ""
        self.init(Self.kind(element, type, attributes), name: attributes["name"], value: attributes["value"])
        if name == "" { name = nil }
        self.type = type
        autocomplete = attributes["autocomplete"]?.asciiLowercased ?? ""
        isChecked = attributes["checked"] != nil
        isDisabled = attributes["disabled"] != nil
        isReadOnly = attributes["readonly"] != nil && !Self.becomesWritable(attributes)
        isRequired = attributes["required"] != nil || attributes["aria-required"]?.lowercased() == "true"
        maxLength = attributes["maxlength"].flatMap { PeerNumber.integer($0, in: 1...Int.max) }
        if element == "select", let size = attributes["size"] {
            isList = PeerNumber.integer(size, in: 0...Int.max).map { $0 > 1 } ?? false
        }
        if kind == .submit {
            overrides.action = attributes["formaction"]
            overrides.method = attributes["formmethod"].map { HTMLForm.Method(attribute: $0) }
            overrides.encoding = attributes["formenctype"].map { HTMLForm.Encoding(attribute: $0) }
            overrides.skipsValidation = attributes["formnovalidate"] != nil
            if element == "input" { label = String((attributes["alt"] ?? value ?? "").prefix(200)) }
        }
    }

    /// Whether a script makes a read-only field writable when a person goes to it. Such pages only keep browsers from
    /// filling it in.
    private static func becomesWritable(_ attributes: [String: String]) -> Bool {
        ["onfocus", "onclick", "onmousedown", "ontouchstart"].contains { event in
            guard let script = attributes[event]?.asciiLowercased.filter({ !$0.isWhitespace }) else { return false }
            return script.contains("readonly=false") || script.contains("removeattr") && script.contains("readonly")
        }
    }

    private static func kind(_ element: String, _ type: String, _ attributes: [String: String]) -> Kind {
        switch (element, type) {
        case ("select", _): .select(multiple: attributes["multiple"] != nil)
        case ("textarea", _): .textArea
        case ("button", "button"), ("input", "button"): .button
        case (_, "reset"): .reset
        case ("button", _), (_, "submit"), (_, "image"): .submit
        case (_, "password"): .password
        case (_, "hidden"): .hidden
        case (_, "checkbox"): .checkbox
        case (_, "radio"): .radio
        case (_, "file"): .file
        default: .text
        }
    }
}
