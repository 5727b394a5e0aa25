import Foundation

/// A request to a service, alone or as a part of a batch.
struct ODataRequest: Sendable {
    var method: String
    /// The segments below the root, percent-decoded.
    var segments: [String]
    var query: [QueryItem]
    var fields: [HeaderField]
    var body: [UInt8] = []

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func option(_ name: String) -> String? { query.first { $0.name == name }?.text }

    /// The effective method, which a POST may name in a field.
    var meaning: String { method == "POST" ? field("X-HTTP-Method")?.uppercased() ?? method : method }

    /// A part of a batch.
    ///
    /// - Parameter target: an absolute URL of the same host, or a path relative to the root
    init?(method: String, target: String, root: String, fields: [HeaderField], body: [UInt8]) {
        var rest = Substring(target)
        let host = root.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
        let path = String(host.drop { $0 != "/" })
        if rest.hasPrefix(root) {
            rest = rest.dropFirst(root.count)
        } else if rest.hasPrefix(path) {
            rest = rest.dropFirst(path.count)
        } else if rest.hasPrefix("/") || rest.contains("://") {
            return nil
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        segments = (parts.first ?? "").split(separator: "/").map { PercentCoding.decodeText($0) }
        query = parts.count > 1 ? QueryItem.parse(parts[1]) : []
        self.fields = fields
        self.body = body
    }

    init(method: String, segments: [String], query: [QueryItem], fields: [HeaderField], body: [UInt8]) {
        self.method = method
        self.segments = segments
        self.query = query
        self.fields = fields
        self.body = body
    }
}
