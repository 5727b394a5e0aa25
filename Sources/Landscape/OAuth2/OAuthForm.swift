/// The parameters of an OAuth2 request. An empty value counts as missing (RFC 6749, 3.1).
struct OAuthForm: Sendable {
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

    /// The words of a value that is separated by spaces.
    func words(_ name: String) -> [String]? {
        self[name].map { $0.split(separator: " ").map(String.init) }
    }
}
