public import Foundation

/// Takes URLs that the application was opened with, such as the call-back of another application.
public protocol CustomURLSchemeHandler: Sendable {
    /// Whether the URL was taken. Returns quickly; work goes into a task.
    func handle(_ url: URL) -> Bool
}

/// Asks the operating system to open a URL in the application that its scheme belongs to.
public protocol ExternalURLOpener: Sendable {
    /// Opens the URL, or throws where no application takes it.
    func open(_ url: URL) async throws
}
