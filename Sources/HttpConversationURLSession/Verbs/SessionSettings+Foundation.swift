import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Network
#endif

extension SessionSettings {
    /// The settings of a session's configuration.
    init(_ configuration: URLSessionConfiguration) {
        serviceType = configuration.networkServiceType.rawValue
        protocolClasses = (configuration.protocolClasses ?? []).map { "\($0)" }
        cachePolicy = configuration.requestCachePolicy.rawValue
        // The shared cache is there without being asked for, and an ephemeral session has one in memory.
        hasOwnCache = configuration.urlCache.map { $0 !== URLCache.shared && $0.diskCapacity > 0 } ?? false
        // A background session keeps its store.
        let cookies = configuration.identifier == nil ? configuration.httpCookieStorage : nil
        hasOwnCookies = cookies !== HTTPCookieStorage.shared && cookies?.cookies?.isEmpty == false
        #if !canImport(FoundationNetworking)
        hasProxyConfigurations = configuration.identifier == nil && !configuration.proxyConfigurations.isEmpty
        minimumTLS = configuration.tlsMinimumSupportedProtocolVersion.rawValue
        maximumTLS = configuration.tlsMaximumSupportedProtocolVersion.rawValue
        requiresDNSSEC = configuration.requiresDNSSECValidation
        hasSharedContainer = configuration.identifier == nil && configuration.sharedContainerIdentifier != nil
        #endif
        #if os(iOS)
        isMultipath = configuration.multipathServiceType != .none
        #endif
    }
}
