import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The fields of a form. An empty value counts as missing (RFC 6749, 3.1).
struct FormFields: Sendable {
    private let items: [QueryItem]

    init(items: [QueryItem]) {
        self.items = items
    }

    init(_ text: String) {
        items = QueryItem.parseForm(text)
    }

    /// Reads the query of a request as a form: `+` is a space.
    init(queryOf exchange: ServerExchange) {
        self.init(
            exchange.incoming.target.firstIndex(of: "?").map { index in
                String(exchange.incoming.target[index...].dropFirst())
            } ?? "")
    }

    subscript(name: String) -> String? {
        items.first { $0.name == name && !$0.value.isEmpty }?.text
    }

    /// The names of parameters that occur more than once.
    var repeated: Set<String> {
        var seen: Set<String> = []
        return Set(items.map(\.name).filter { !seen.insert($0).inserted })
    }

    /// All values of a parameter that may occur more than once.
    func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.text) }

    /// The words of a value that is separated by spaces.
    func words(_ name: String) -> [String]? {
        self[name].map { $0.split(separator: " ").map(String.init) }
    }
}

/// Reads a form in `multipart/form-data` (RFC 7578), texts only.
private enum MultipartForm {
    /// The fields; nil if the text has no such parts.
    static func read(_ text: String, boundary: String) -> [QueryItem]? {
        let parts = text.components(separatedBy: "--" + boundary)
        guard parts.count >= 2, parts.last?.hasPrefix("--") == true else { return nil }
        return parts.dropFirst().dropLast().compactMap { part in
            guard let end = part.range(of: "\r\n\r\n"), part.hasSuffix("\r\n"),
                let name = part[..<end.lowerBound].range(of: #"; name="[^"]*""#, options: .regularExpression)
            else { return nil }
            return QueryItem(
                name: String(part[name].dropFirst(8).dropLast()), value: Array(part[end.upperBound...].utf8.dropLast(2))
            )
        }
    }
}

extension ServerExchange {
    /// The body as a form; nil if it has another type.
    func form() async throws -> FormFields? {
        let body = try await body().collect(upTo: 65_536)
        let type = field("Content-Type")?.prefix { $0 != ";" }.lowercased()
        guard type?.filter({ $0 != " " }) == "application/x-www-form-urlencoded" else { return nil }
        return FormFields(String(buffer: body))
    }

    /// The body as a form, urlencoded or multipart; nil for other types.
    func anyForm() async throws -> FormFields? {
        let type = field("Content-Type") ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data"),
            let parameter = type.range(of: "boundary=", options: .caseInsensitive)
        else { return try await form() }
        let boundary = type[parameter.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        let text = String(buffer: try await body().collect(upTo: 65_536))
        return MultipartForm.read(text, boundary: boundary).map { FormFields(items: $0) }
    }
}
