import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem

/// The scope of process numbers: one boot of a machine, or a container on it. Several of them may share a home
/// directory.
struct RelayMachine: Codable, Equatable, Sendable {
    /// The number of the namespace that a machine starts with (PROC_PID_INIT_INO of Linux).
    static let firstNamespace = "4026531836"

    /// The identifier of the installation; empty if it has none.
    let installation: String
    let boot: String
    /// The number of the namespace of processes.
    let namespace: String

    /// The scope of this process; nil if the system does not tell.
    static let own: RelayMachine? = {
        guard let boot = text(of: "/proc/sys/kernel/random/boot_id"),
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        else { return nil }
        return RelayMachine(
            installation: text(of: "/etc/machine-id") ?? "", boot: boot,
            namespace: link.filter { ("0"..."9").contains($0) })
    }()

    /// A part of the names of records.
    var label: String { "\(boot.prefix(8))-\(namespace)" }

    /// Whether the scope has certainly ended, as an earlier boot of this machine. Containers may share the identifier
    /// of the installation with others, so nothing is certain about them.
    func hasEnded(before own: RelayMachine) -> Bool {
        !installation.isEmpty && installation == own.installation && boot != own.boot
            && [namespace, own.namespace].allSatisfy { $0 == Self.firstNamespace }
    }

    static func text(of path: String) -> String? {
        SystemCalls.read(file: path, atMost: 4096).map { String(String(decoding: $0, as: UTF8.self).trimmingBlanks) }
    }
}
