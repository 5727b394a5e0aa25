import Foundation

/// A request in a server's log.
struct ReceivedRequest {
    let method: String
    let path: String
    let fields: [(name: String, value: String)]
    /// The whole line, for searches for secrets.
    let line: String

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() && !$0.value.isEmpty && $0.value != "-" }?.value
    }

    var carriesCredentials: Bool { field("Authorization") != nil }

    /// Reads Apache's mod_log_forensic: `+id|GET /path HTTP/1.1|Name:value|…`, with special characters percent-encoded.
    init?(forensic line: String) {
        guard line.hasPrefix("+") else { return nil }
        let parts = line.split(separator: "|").map(String.init)
        guard parts.count > 1 else { return nil }
        let request = parts[1].split(separator: " ")
        guard request.count == 3 else { return nil }
        method = String(request[0])
        path = String(request[1])
        fields = parts.dropFirst(2).compactMap { part in
            guard let colon = part.firstIndex(of: ":") else { return nil }
            let value = String(part[part.index(after: colon)...])
            return (String(part[..<colon]), value.removingPercentEncoding ?? value)
        }
        self.line = line
    }

    /// Reads our nginx log format.
    init?(json line: String) {
        guard let object = try? JSONDecoder().decode([String: String].self, from: Data(line.utf8)),
            let method = object["method"], let path = object["path"]
        else { return nil }
        self.method = method
        self.path = path
        fields = object.filter { $0.key.first?.isUppercase == true }.map { ($0.key, $0.value) }
        self.line = line
    }

    /// Reads lighttpd's `debug.log-request-header`: `…) fd:8 rqst: line` for each line of a head, and an empty one at
    /// its end.
    static func all(lighttpd lines: [String]) -> [ReceivedRequest] {
        var open: [Substring: [String]] = [:]
        var requests: [ReceivedRequest] = []
        for line in lines {
            guard let start = line.range(of: ") fd:"), let end = line.range(of: " rqst: ") else { continue }
            let descriptor = line[start.upperBound..<end.lowerBound]
            let text = String(line[end.upperBound...])
            if !text.isEmpty {
                open[descriptor, default: []].append(text)
            } else if let request = ReceivedRequest(head: open.removeValue(forKey: descriptor) ?? []) {
                requests.append(request)
            }
        }
        return requests
    }

    private init?(head: [String]) {
        let request = head.first?.split(separator: " ") ?? []
        guard request.count == 3 else { return nil }
        method = String(request[0])
        path = String(request[1])
        fields = head.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        self.line = head.joined(separator: "|")
    }
}
