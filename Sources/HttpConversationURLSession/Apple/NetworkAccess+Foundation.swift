#if !canImport(FoundationNetworking)
public import Foundation

extension URLSessionTransport.NetworkAccess {
    /// The access that a request allows.
    init(_ request: URLRequest) {
        allowsCellular = request.allowsCellularAccess
        allowsExpensive = request.allowsExpensiveNetworkAccess
        allowsConstrained = request.allowsConstrainedNetworkAccess
    }

    func apply(to request: inout URLRequest) {
        request.allowsCellularAccess = allowsCellular
        request.allowsExpensiveNetworkAccess = allowsExpensive
        request.allowsConstrainedNetworkAccess = allowsConstrained
    }
}

extension URLSessionTransport {
    /// A transport with the same connections, limited to the networks that a request allows.
    func limited(to access: NetworkAccess) -> URLSessionTransport {
        var configuration = configuration
        configuration.access = access.intersection(configuration.access)
        return URLSessionTransport(sharing: self, configuration: configuration)
    }
}

extension URLSessionTransport.Configuration {
    /// Takes the settings for networks, proxies, the number of connections, and waiting for a network. Other settings
    /// are the manager's, or off.
    public init(_ configuration: URLSessionConfiguration) {
        self.init()
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        access.allowsCellular = configuration.allowsCellularAccess
        access.allowsExpensive = configuration.allowsExpensiveNetworkAccess
        access.allowsConstrained = configuration.allowsConstrainedNetworkAccess
        waitsForConnectivity = configuration.waitsForConnectivity
        connectionProxies = configuration.connectionProxyDictionary.map(Self.proxies)
    }

    func addApplesOwn(to result: URLSessionConfiguration) {
        result.waitsForConnectivity = waitsForConnectivity
        if let connectionProxies { result.connectionProxyDictionary = connectionProxies.mapValues(\.foundation) }
    }
}
#endif
