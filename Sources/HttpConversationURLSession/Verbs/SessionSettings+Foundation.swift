import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionSettings {
    /// The settings of a session's configuration.
    init(_ configuration: URLSessionConfiguration) {
        serviceType = configuration.networkServiceType.rawValue
        protocolClasses = (configuration.protocolClasses ?? []).map { "\($0)" }
        cachePolicy = configuration.requestCachePolicy.rawValue
        // The shared cache is there without being asked for, and an ephemeral session has one in memory.
        hasOwnCache = configuration.urlCache.map { $0 !== URLCache.shared && $0.diskCapacity > 0 } ?? false
        #if !canImport(FoundationNetworking)
        minimumTLS = configuration.tlsMinimumSupportedProtocolVersion.rawValue
        maximumTLS = configuration.tlsMaximumSupportedProtocolVersion.rawValue
        requiresDNSSEC = configuration.requiresDNSSECValidation
        #endif
        #if os(iOS)
        isMultipath = configuration.multipathServiceType != .none
        #endif
    }
}
