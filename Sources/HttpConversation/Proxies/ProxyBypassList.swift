import HttpConvFormats

/// Hosts that are reached without a proxy, as in `no_proxy` and curl's `--noproxy`.
///
/// Entries are separated by commas or blanks. A name covers itself and its sub-domains, by whole labels, with or
/// without a leading dot: `example.com` covers `www.example.com` and not `notexample.com`. An IP address or a range
/// (`10.0.0.0/8`, `fd00::/8`) covers IP literals; names are not resolved for the comparison. `*` alone covers every
/// host. An entry with a port, another wildcard or an invalid host covers nothing, so that the proxy is used.
public struct ProxyBypassList: Sendable, Hashable {
    /// Whether the list covers every host.
    package private(set) var isEverything = false
    /// Names in lower case, without dots at their ends.
    package private(set) var names: Set<String> = []
    /// Addresses and ranges.
    package private(set) var ranges: [AddressRange] = []

    /// Creates an empty list, or parses one.
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

    /// The list with the names and addresses of this machine.
    var withLoopback: ProxyBypassList {
        guard !isEverything else { return self }
        var list = self
        for entry: Substring in ["localhost", "127.0.0.0/8", "::1"] {
            if let range = AddressRange(entry), ranges.contains(range) { continue }
            list.add(entry)
        }
        return list
    }

    private mutating func add(_ entry: Substring) {
        if let range = AddressRange(entry) {
            ranges.append(range)
        } else if let name = Self.name(entry) {
            names.insert(name)
        }
    }

    /// Ignores one dot at each end (security rule S1); the rest must be a host.
    private static func name(_ entry: Substring) -> String? {
        try? HostName.normalise(
            String(decoding: entry.utf8.dropFirst(entry.starts(withBytesOf: ".") ? 1 : 0), as: UTF8.self))
    }

    /// Whether requests to this origin bypass the proxy.
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
    /// Parses a list.
    public init(stringLiteral text: String) { self.init(text) }
}
