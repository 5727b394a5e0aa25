import HttpConvFormats
import HttpConversation

/// Makes rows from JSON objects.
struct RowReader {
    let client: ServiceClient

    /// - Throws: ``ODataError/Code/wrongType`` if a value does not have its type of the model
    func row(_ object: JSONElement, _ shape: RowShape) throws(ODataError) -> ODataRow {
        shape.limitSize()
        return try read(object, shape)
    }

    private func read(_ object: JSONElement, _ shape: RowShape) throws(ODataError) -> ODataRow {
        guard object.kind == .object else { throw client.malformed(FormatFailure("a row is not an object")) }
        let shape = shape.shape(for: object)
        let document = object.document
        if !shape.fits(document, object.index) {
            do throws(FormatFailure) { try shape.learn(object) } catch { throw client.malformed(error) }
        }
        var values: [ODataValue] = []
        values.reserveCapacity(shape.names.count)
        var annotations: ODataAnnotations?
        var index = object.index + 1
        for member in shape.members {
            let value = JSONElement(document: document, index: index + 1)
            index = Int(document.tokens[index + 1].next)
            switch member.role {
            case .property(let kind):
                values.append(try read(value, kind, member.name, shape))
                if client.version == .v2, let link = Self.nextLink(of: value) {
                    annotations.note { $0.properties["\(member.name)@odata.nextLink"] = link }
                }
            case .annotation(let name):
                if let text = value.text { annotations.note { $0.note(name, text) } }
            case .propertyAnnotation(let name):
                if let text = value.scalar { annotations.note { $0.properties[name] = text } }
            case .metadata:
                do throws(FormatFailure) {
                    for (name, value) in try value.members() {
                        if let text = value.text { annotations.note { $0.note(name[...], text) } }
                    }
                } catch { throw client.malformed(error) }
            }
        }
        return ODataRow(
            names: shape.names, positions: shape.positions, values: values, annotations: annotations)
    }

    /// The link to the next page of an expanded collection of OData 2.0, which is inside of its value.
    private static func nextLink(of value: JSONElement) -> String? {
        guard value.kind == .object, value["results"]?.kind == .array, let link = value["__next"] else { return nil }
        return link.text ?? link["uri"]?.text
    }

    private func read(
        _ value: JSONElement, _ kind: EdmKind, _ name: String, _ shape: RowShape
    ) throws(ODataError) -> ODataValue {
        let found: ODataValue?
        var isBeyond = false
        switch value.kind {
        case .null: return .null
        case .true, .false: found = kind == .boolean || kind == .unknown ? .boolean(value.kind == .true) : nil
        case .number:
            found = kind.value(number: value.document.raw(of: value.index))
            isBeyond = kind == .decimal
        case .string:
            do throws(FormatFailure) {
                let text = try value.document.text(of: value.index)
                found = kind.value(text)
                isBeyond = found == nil && kind.isNotation(text)
            } catch {
                throw client.malformed(error)
            }
        case .array: return .collection(try elements(value, kind, name, shape))
        case .object:
            if client.version == .v2, let results = value["results"], results.kind == .array {
                return .collection(try elements(results, kind, name, shape))
            }
            if let link = value["__deferred"] { return .deferred(link["uri"]?.text ?? "") }
            return .complex(try read(value, shape.shape(of: name, kind)))
        }
        guard let found else {
            throw ODataError(
                .wrongType,
                isBeyond
                    ? "A value of \(TerminalText.sanitise(name, limit: 80)) at \(client.root.url) is beyond what this "
                        + "library holds: leave the property out of the selection, or read the rows as a type of your "
                        + "own that has a String for it."
                    : "A value of \(TerminalText.sanitise(name, limit: 80)) is not of the type that the metadata of "
                        + "\(client.root.url) has for it.")
        }
        return found
    }

    private func elements(
        _ array: JSONElement, _ kind: EdmKind, _ name: String, _ shape: RowShape
    ) throws(ODataError) -> [ODataValue] {
        var result: [ODataValue] = []
        for element in array.elements { result.append(try read(element, kind, name, shape)) }
        return result
    }

    /// Reads a single value, such as that of a property.
    func value(_ value: JSONElement, _ kind: EdmKind) throws(ODataError) -> ODataValue {
        try read(value, kind, "value", RowShape(nil, in: nil))
    }
}

extension ODataAnnotations? {
    fileprivate mutating func note(_ change: (inout ODataAnnotations) -> Void) {
        var annotations = self ?? ODataAnnotations()
        change(&annotations)
        self = annotations
    }
}
