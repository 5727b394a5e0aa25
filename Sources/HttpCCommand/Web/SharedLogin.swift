import Foundation
import HttpC

/// One web login for all processes that use a profile: the others wait for it and take its cookies.
///
/// The lock is held while pages are shown, and goes with the process whatever ends it.
struct SharedLogin {
    let cookies: ProfileCookies
    let diagnostics: Diagnostics

    /// - Parameters:
    ///   - finish: the URL of the navigation that ends the login
    ///   - show: does it
    func perform(
        _ login: WebLogin, finish: String, _ show: () async throws -> WebLoginOutcome
    ) async throws -> WebLoginOutcome {
        guard let directory = try StateDirectory.open(profile: cookies.profile, creates: true) else {
            return try await show()
        }
        let lock = try LoginLock(directory)
        // Nothing below uses it, and without it the lock is gone.
        defer { withExtendedLifetime(lock) {} }
        let hasWaited = try await wait(for: lock)
        let page = "\(login.purpose) \(login.start.origin)\(login.start.path)"
        if let entry = try cookies.webLogins.news(of: page) {
            guard let refusal = entry.refusal else {
                return WebLoginOutcome(url: finish, cookies: try cookies.takeOver(for: login))
            }
            // Each further attempt brings the account closer to being locked.
            if hasWaited {
                throw WebLoginError(
                    .answersRefused, "The prepared answers were just refused to another httpc with this profile.",
                    pageText: refusal)
            }
        }
        do {
            let outcome = try await show()
            try cookies.keep(login.cookiesToKeep(of: outcome.cookies))
            try cookies.webLogins.note(page)
            return outcome
        } catch let error as WebLoginError where error.code == .answersRefused {
            try cookies.webLogins.note(page, refusal: error.pageText ?? "")
            throw error
        }
    }

    /// - Returns: whether another process had it
    private func wait(for lock: LoginLock) async throws -> Bool {
        if try lock.take() { return false }
        diagnostics.message("another httpc is logging in with the profile \"\(cookies.profile)\"; this one waits.")
        // Waiting in the kernel would hold a thread of the pool. The interaction's time limit ends it.
        while try !lock.take() { try await Task.sleep(for: .milliseconds(50)) }
        return true
    }
}

/// Held by the process that shows a login of the profile.
private final class LoginLock: Sendable {
    private let descriptor: Int32
    private let path: String

    init(_ directory: StateDirectory) throws(CommandFailure) {
        let name = "web-login.lock"
        path = "\(directory.path)/\(name)"
        descriptor = openat(directory.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StateDirectory.failure(path, Posix.reason(errno)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether it is ours now.
    func take() throws(CommandFailure) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw StateDirectory.failure(path, Posix.reason(errno)) }
        return false
    }
}
