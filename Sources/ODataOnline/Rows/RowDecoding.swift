import HttpConvFormats
import HttpConversation

/// Makes an application's value from a JSON object.
struct RowDecoding<Element: Sendable>: Sendable {
    /// Makes a decoder for one sequence of rows. The decoder may remember their common shape.
    let make: @Sendable () -> (JSONElement) throws(ODataError) -> Element
}

extension RowDecoding where Element == ODataRow {
    static func rows(of type: String?, in model: ODataModel?, _ client: ServiceClient) -> RowDecoding {
        RowDecoding {
            let reader = RowReader(client: client)
            let shape = RowShape(type, in: model)
            return { value throws(ODataError) in try reader.row(value, shape) }
        }
    }
}

extension RowDecoding where Element: Decodable {
    static func values(_ client: ServiceClient) -> RowDecoding {
        RowDecoding {
            { value throws(ODataError) in
                do { return try DocumentDecoder.decode(Element.self, from: value) } catch {
                    throw client.undecodable(error, Element.self)
                }
            }
        }
    }
}

extension ServiceClient {
    /// An error for a row that cannot be decoded. The decoder's own error quotes the answer, so it is left out.
    func undecodable(_ error: any Error, _ type: any Any.Type) -> ODataError {
        if let problem = error as? FormatFailure { return malformed(problem) }
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context
            case .keyNotFound(let key, let context):
                DecodingError.Context(codingPath: context.codingPath + [key], debugDescription: "")
            default: nil
            }
        let place = context?.codingPath.map(\.stringValue).joined(separator: ".") ?? ""
        return ODataError(
            .wrongType,
            "A row of \(root.url) is not a \(type)\(place.isEmpty ? "" : ": see \(TerminalText.sanitise(place, limit: 80))")."
        )
    }
}
