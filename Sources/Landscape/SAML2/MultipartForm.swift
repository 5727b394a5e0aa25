import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Reads a form in `multipart/form-data` (RFC 7578), texts only.
enum MultipartForm {
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
    /// The body as a form, urlencoded or multipart; nil for other types.
    func anyForm() async throws -> OAuthForm? {
        let type = field("Content-Type") ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data"),
            let parameter = type.range(of: "boundary=", options: .caseInsensitive)
        else { return try await form() }
        let boundary = type[parameter.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        let text = String(buffer: try await body().collect(upTo: 65_536))
        return MultipartForm.read(text, boundary: boundary).map { OAuthForm(items: $0) }
    }
}
