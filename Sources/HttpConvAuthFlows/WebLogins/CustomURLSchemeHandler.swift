public import HttpConvPlatform

/// Handles URLs that the application was opened with, such as the callback of another application.
public protocol CustomURLSchemeHandler: Sendable {
    /// Returns whether it handled the URL. Must be fast; longer work belongs in a task.
    func handle(_ url: URL) -> Bool
}

/// Asks the operating system to open a URL in the application for its scheme.
public protocol ExternalURLOpener: Sendable {
    /// Opens the URL; throws if no application handles it.
    func open(_ url: URL) async throws
}
