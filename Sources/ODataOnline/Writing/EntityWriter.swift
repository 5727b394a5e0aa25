import HttpConvFormats
import HttpConvPlatform

/// Writes entities as JSON for a version of the protocol.
struct EntityWriter {
    let version: ODataVersion
    let model: ODataModel?

    /// - Parameter type: the qualified name of the entity's type, if the model is known
    func json(_ row: ODataRow, of type: String?) throws(ODataError) -> [UInt8] {
        var writer = JSONWriter()
        try write(row, type.flatMap { model?.structuredType($0) }, to: &writer)
        return writer.bytes
    }

    /// - Parameter types: the names of the values' types, if the model is known
    func json(_ row: ODataRow, types: [String: String]) throws(ODataError) -> [UInt8] {
        var writer = JSONWriter()
        try write(row, to: &writer) { types[$0] }
        return writer.bytes
    }

    /// An application's value as a row.
    func row(_ value: some Encodable) throws(ODataError) -> ODataRow {
        let encoder = JSONEncoder()
        // Marks tell bytes and times from texts when the JSON is read again.
        encoder.dataEncodingStrategy = .custom { bytes, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.binaryMark + bytes.base64EncodedString())
        }
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let time = ODataDateTime(date) else {
                throw EncodingError.invalidValue(
                    date, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "It is out of range.")
                )
            }
            try container.encode(Self.timeMark + time.description)
        }
        do {
            let document = try JSONDocument(Array(try encoder.encode(value)))
            guard document.root.kind == .object else { throw FormatFailure("it is not an object") }
            return try Self.row(document.root)
        } catch {
            throw ODataError(
                .invalidRequest, "\(type(of: value)) cannot be written as an entity: nothing was sent.")
        }
    }

    /// Characters for private use: no text of an application starts with them.
    private static let timeMark = "\u{F8FF}\u{E0DA}"
    private static let binaryMark = "\u{F8FF}\u{E0DB}"

    private static func row(_ object: JSONElement) throws(FormatFailure) -> ODataRow {
        var row = ODataRow()
        for (name, value) in try object.members() { row[name] = try Self.value(value) }
        return row
    }

    private static func value(_ value: JSONElement) throws(FormatFailure) -> ODataValue {
        switch value.kind {
        case .null: return .null
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .number: return EdmKind.unknown.value(number: value.document.raw(of: value.index)) ?? .null
        case .string:
            let text = try value.document.text(of: value.index)
            let (isTime, isBinary) = (text.hasPrefix(timeMark), text.hasPrefix(binaryMark))
            guard isTime || isBinary else { return .string(text) }
            let marked = String(text.unicodeScalars.dropFirst(2))
            return (isTime ? ODataDateTime(marked).map { .dateTime($0) } : EdmText.binary(marked).map { .binary($0) })
                ?? .string(text)
        case .array:
            var elements: [ODataValue] = []
            for element in value.elements { elements.append(try Self.value(element)) }
            return .collection(elements)
        case .object: return .complex(try row(value))
        }
    }

    private func write(
        _ row: ODataRow, _ type: ODataModel.StructuredType?, to writer: inout JSONWriter
    ) throws(ODataError) {
        let own = type.map { model?.type(stated: Self.statedType(row), declared: $0) ?? $0 }
        try write(row, to: &writer) { name in own.flatMap { model?.typeName(of: name, in: $0) } }
    }

    /// The type that a row names, or had when it was read; nil if it says nothing.
    private static func statedType(_ row: ODataRow) -> String? {
        let stated = row["@odata.type"] ?? row["@type"] ?? row["__metadata"]?.row?["type"]
        return stated?.string.map(ODataAnnotations.typeName) ?? row.annotations.type
    }

    private func write(
        _ row: ODataRow, to writer: inout JSONWriter, typeName: (String) -> String?
    ) throws(ODataError) {
        writer.begin("{")
        for (name, value) in zip(row.names, row.values) {
            try Self.check(name)
            // A link to entities that were not expanded belongs to the service, so it is not sent.
            if case .deferred = value { continue }
            writer.name(name)
            let kind = typeName(name).flatMap { model?.kind(of: $0) }
            try write(value, kind ?? .unknown, to: &writer)
        }
        writer.end("}")
    }

    /// Checks the name of a property, or of an annotation such as `Category@odata.bind`.
    private static func check(_ name: String) throws(ODataError) {
        guard let at = name.firstIndex(of: "@") else { return try ODataName.check(name) }
        if at != name.startIndex { try ODataName.check(path: String(name[..<at])) }
        try ODataName.check(qualified: String(name[name.index(after: at)...]))
    }

    /// A time with or without an offset, as its type of OData 2.0 demands it. Services refuse the other notation.
    private static func fitted(_ time: ODataDateTime, to kind: EdmKind) -> ODataDateTime {
        switch kind {
        case .localDateTime: time.withOffset(nil)
        case .dateTime: time.withOffset(time.offset ?? 0)
        default: time
        }
    }

    /// A text as a value of its type where the type's notation depends on the version. Other texts stay unchanged.
    private func fitted(_ text: String, to kind: EdmKind) -> ODataValue {
        let isDifferent =
            switch kind {
            case .binary: true
            case .dateTime, .localDateTime: version == .v2
            default: false
            }
        return isDifferent ? kind.value(text) ?? .string(text) : .string(text)
    }

    func write(_ value: ODataValue, _ kind: EdmKind, to writer: inout JSONWriter) throws(ODataError) {
        switch value {
        case .null, .deferred: writer.raw("null".utf8)
        case .boolean(let flag): writer.raw("\(flag)".utf8)
        case .integer(let number):
            // OData 2.0 writes these numbers in quotes.
            if version == .v2, kind == .int64 || kind == .decimal {
                writer.text("\(number)")
            } else {
                writer.raw("\(number)".utf8)
            }
        case .int64(let number):
            if version == .v2 { writer.text("\(number)") } else { writer.raw("\(number)".utf8) }
        case .decimal(let number):
            let digits = try DecimalText.text(number)
            let isFloat = kind == .double || kind == .single
            if version == .v2, !isFloat { writer.text(digits) } else { writer.raw(digits.utf8) }
        case .double(let number):
            if number.isFinite { writer.raw("\(number)".utf8) } else { writer.text(EdmLiteral.special(number)) }
        case .single(let number):
            if number.isFinite { writer.raw("\(number)".utf8) } else { writer.text(EdmLiteral.special(Double(number))) }
        case .string(let text):
            let exact = fitted(text, to: kind)
            if exact == value { writer.text(text) } else { try write(exact, kind, to: &writer) }
        case .guid(let guid): writer.text(guid.uuidString.lowercased())
        case .binary(let bytes):
            let base64 = bytes.base64EncodedString()
            writer.text(version == .v2 ? base64 : base64.replacing("+", with: "-").replacing("/", with: "_"))
        case .dateTime(let time):
            switch version {
            case .v2: writer.text(Self.fitted(time, to: kind).jsonText)
            case .v4: writer.text(kind == .date ? String(time.calendarText.prefix { $0 != "T" }) : time.text)
            }
        case .date(let date):
            let time = version == .v2 ? ODataDateTime("\(date)") : nil
            writer.text(time.map { Self.fitted($0, to: kind).jsonText } ?? "\(date)")
        case .timeOfDay(let time): writer.text(version == .v2 ? time.jsonText : "\(time)")
        case .duration(let duration): writer.text(DurationText.text(duration))
        case .enumeration(let member): writer.text(member.member)
        case .complex(let row):
            var type: ODataModel.StructuredType?
            if case .structured(let name) = kind { type = model?.structuredType(name) }
            try write(row, type, to: &writer)
        case .collection(let elements):
            writer.begin("[")
            for element in elements { try write(element, kind, to: &writer) }
            writer.end("]")
        }
    }
}
