/// Hosts that are reached without a proxy: what `no_proxy` and curl's `--noproxy` hold.
///
/// Entries are separated by commas or blanks. A name stands for itself and for everything below it, by whole labels, whether
/// it begins with a dot or not: `example.com` covers `www.example.com` and not `notexample.com`. An IP address or a range
/// (`10.0.0.0/8`, `fd00::/8`) covers IP literals; no name is resolved to compare it. `*` alone is every host. An entry with a
/// port, another wildcard or anything else that is no host covers nothing, so that the proxy is used.
public struct ProxyBypassList: Sendable, Hashable {
    /// Whether it is every host.
    package private(set) var isEverything = false
    /// Names in lower case, without dots at their ends.
    package private(set) var names: Set<String> = []
    /// Addresses and ranges.
    package private(set) var ranges: [AddressRange] = []

    /// No host, or those of a list.
    public init(_ text: String = "") {
        var entries: [Substring] = []
        var start: String.Index?
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: ","), 0x20, 0x09:
                if let begun = start { entries.append(text[begun..<index]) }
                start = nil
            default: start = start ?? index
            }
        }
        if let begun = start { entries.append(text[begun...]) }
        isEverything = entries == ["*"]
        for entry in entries { add(entry) }
    }

    private mutating func add(_ entry: Substring) {
        if let range = AddressRange(entry) {
            ranges.append(range)
        } else if let name = Self.name(entry) {
            names.insert(name)
        }
    }

    /// One dot at each end means nothing (security rule S1); what is left must be a host.
    private static func name(_ entry: Substring) -> String? {
        try? HostName.normalise(
            String(decoding: entry.utf8.dropFirst(entry.starts(withBytesOf: ".") ? 1 : 0), as: UTF8.self))
    }

    /// Whether requests to this origin go around the proxy.
    public func contains(_ origin: Origin) -> Bool {
        if isEverything { return true }
        if let address = ranges.isEmpty ? nil : HostName.bytes(ofIPLiteral: origin.host) {
            return ranges.contains { $0.contains(address) }
        }
        guard !names.isEmpty, !origin.isIPLiteral else { return false }
        var rest = origin.host[...]
        while true {
            if names.contains(String(rest)) { return true }
            guard let dot = rest.firstIndex(ofASCII: ".") else { return false }
            rest = rest[rest.utf8.index(after: dot)...]
        }
    }
}

extension ProxyBypassList: ExpressibleByStringLiteral {
    /// The hosts of a list.
    public init(stringLiteral text: String) { self.init(text) }
}
