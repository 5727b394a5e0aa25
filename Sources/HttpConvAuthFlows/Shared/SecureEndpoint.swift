package import HttpConversation

/// Checks destinations of secrets: https, or this machine (security rule S11).
package enum SecureEndpoint {
    package static func isSecure(_ origin: Origin) -> Bool { origin.scheme == .https || origin.isLoopback }
}
