#if canImport(FoundationNetworking)
import Foundation
import HttpConversation

/// The proxies of the environment, which FoundationNetworking uses by itself and cannot be kept from.
enum EnvironmentProxies {
    /// Who was told of no proxy does not go through one, where its owner would see what is sent (security rule S25).
    static func refuse(
        for target: TargetURL, in variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConversationError) {
        let settings = ProxySettings.environment(variables)
        guard try settings.proxy(for: target) == nil else {
            throw ConversationError(
                .invalidConfiguration,
                "The environment names a proxy for \(target.origin), which URLSession would use here unasked. Nothing was sent: unset the variable (http_proxy, https_proxy, all_proxy), add the host to no_proxy, or use another transport."
            )
        }
    }
}
#endif
