import Foundation

/// The memory of this process (`man 5 proc`).
public enum ProcessMemory {
    /// A value of `/proc/self/status` in kilobytes, such as `VmRSS`; nil if there is none.
    public static func kilobytes(_ name: String) throws -> Int? {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let line = lines.first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }
}
