import Foundation

/// A request as a server's log has it.
struct ReceivedRequest {
    let method: String
    let path: String
    /// The status, where the log is written after the answer.
    let status: Int?
    let fields: [(name: String, value: String)]
    /// The whole line, to search for what must not be there.
    let line: String

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() && !$0.value.isEmpty && $0.value != "-" }?.value
    }

    var carriesCredentials: Bool { field("Authorization") != nil }

    /// Apache's mod_log_forensic: `+id|GET /path HTTP/1.1|Name:value|…`, special characters percent-encoded.
    init?(forensic line: String) {
        guard line.hasPrefix("+") else { return nil }
        let parts = line.split(separator: "|").map(String.init)
        guard parts.count > 1 else { return nil }
        let request = parts[1].split(separator: " ")
        guard request.count == 3 else { return nil }
        method = String(request[0])
        path = String(request[1])
        status = nil
        fields = parts.dropFirst(2).compactMap { part in
            guard let colon = part.firstIndex(of: ":") else { return nil }
            let value = String(part[part.index(after: colon)...])
            return (String(part[..<colon]), value.removingPercentEncoding ?? value)
        }
        self.line = line
    }

    /// Our nginx log format.
    init?(json line: String) {
        guard let object = try? JSONDecoder().decode([String: String].self, from: Data(line.utf8)),
            let method = object["method"], let path = object["path"]
        else { return nil }
        self.method = method
        self.path = path
        status = object["status"].flatMap(Int.init)
        fields = object.filter { $0.key.first?.isUppercase == true }.map { ($0.key, $0.value) }
        self.line = line
    }

    /// Our lighttpd log format: `port method path status credentials=…`.
    init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 4).map(String.init)
        guard parts.count == 5 else { return nil }
        method = parts[1]
        path = parts[2]
        status = Int(parts[3])
        fields = [("Authorization", String(parts[4].dropFirst("credentials=".count)))]
        self.line = line
    }
}
