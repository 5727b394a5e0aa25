#if !canImport(FoundationNetworking)
public import Foundation

extension URLSessionTransport {
    /// The networks that exchanges may use.
    public struct NetworkAccess: Hashable, Sendable {
        /// Whether cellular networks may be used.
        public var allowsCellular = true
        /// Whether networks that the system counts as expensive may be used, such as personal hotspots.
        public var allowsExpensive = true
        /// Whether networks in Low Data Mode may be used.
        public var allowsConstrained = true

        /// Allows any network.
        public init() {}

        /// The access that a request allows.
        init(_ request: URLRequest) {
            allowsCellular = request.allowsCellularAccess
            allowsExpensive = request.allowsExpensiveNetworkAccess
            allowsConstrained = request.allowsConstrainedNetworkAccess
        }

        /// The access that both allow.
        func intersection(_ other: NetworkAccess) -> NetworkAccess {
            var result = self
            result.allowsCellular = allowsCellular && other.allowsCellular
            result.allowsExpensive = allowsExpensive && other.allowsExpensive
            result.allowsConstrained = allowsConstrained && other.allowsConstrained
            return result
        }

        func apply(to request: inout URLRequest) {
            request.allowsCellularAccess = allowsCellular
            request.allowsExpensiveNetworkAccess = allowsExpensive
            request.allowsConstrainedNetworkAccess = allowsConstrained
        }
    }

    /// A transport with the same connections, limited to the networks that a request allows.
    func limited(to access: NetworkAccess) -> URLSessionTransport {
        var configuration = configuration
        configuration.access = access.intersection(configuration.access)
        return URLSessionTransport(sharing: self, configuration: configuration)
    }
}

extension URLSessionTransport.Configuration {
    /// A value of a proxy dictionary.
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

    /// Takes the settings for networks, proxies, the number of connections, and waiting for a network. Other settings
    /// are the manager's, or off.
    public init(_ configuration: URLSessionConfiguration) {
        self.init()
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        access.allowsCellular = configuration.allowsCellularAccess
        access.allowsExpensive = configuration.allowsExpensiveNetworkAccess
        access.allowsConstrained = configuration.allowsConstrainedNetworkAccess
        waitsForConnectivity = configuration.waitsForConnectivity
        guard let proxies = configuration.connectionProxyDictionary else { return }
        connectionProxies = [:]
        for (name, value) in proxies {
            if let name = name as? String, let value = ProxyValue(value) { connectionProxies?[name] = value }
        }
    }

    func addApplesOwn(to result: URLSessionConfiguration) {
        result.waitsForConnectivity = waitsForConnectivity
        if let connectionProxies { result.connectionProxyDictionary = connectionProxies.mapValues(\.foundation) }
    }
}
#endif
