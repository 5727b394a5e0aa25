extension URLSessionTransport.Configuration {
    /// A value of a proxy dictionary of Apple's systems.
    public enum ProxyValue: Hashable, Sendable {
        /// A number, such as a port or a switch.
        case number(Int)
        /// A text, such as a host.
        case text(String)
        /// Several texts, such as hosts that are reached without a proxy.
        case list([String])

        /// Returns nil for any other type.
        init?(_ value: Any) {
            switch value {
            case let number as Int: self = .number(number)
            case let text as String: self = .text(text)
            case let list as [String]: self = .list(list)
            default: return nil
            }
        }

        var foundation: Any {
            switch self {
            case .number(let number): number
            case .text(let text): text
            case .list(let list): list
            }
        }
    }

    /// The values of a proxy dictionary; others are left out.
    static func proxies(_ dictionary: [AnyHashable: Any]) -> [String: ProxyValue] {
        var found: [String: ProxyValue] = [:]
        for (name, value) in dictionary {
            if let name = name as? String, let value = ProxyValue(value) { found[name] = value }
        }
        return found
    }
}
