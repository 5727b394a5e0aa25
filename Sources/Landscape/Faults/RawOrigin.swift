/// The origin that answers with scripted bytes.
///
/// It reads and records a request's head up to its empty line, and skips the body (`Content-Length` only).
package struct RawOrigin: Sendable {
    let world: World

    /// Answers requests for `path` with the script from now on.
    package func respond(path: String, script: WireScript) {
        world.wireScripts[path] = script
    }

    /// Answers requests for `path` with the bytes from now on.
    package func respond(path: String, bytes: [UInt8], thenClose: Bool = false) {
        respond(path: path, script: WireScript([.bytes(bytes)] + (thenClose ? [.close] : [])))
    }

    /// Answers requests for `path` with the text's UTF-8 bytes from now on.
    package func respond(path: String, text: String, thenClose: Bool = false) {
        respond(path: path, bytes: Array(text.utf8), thenClose: thenClose)
    }

    /// Forgets all scripts.
    package func removeAll() {
        world.wireScripts.removeAll()
    }
}
