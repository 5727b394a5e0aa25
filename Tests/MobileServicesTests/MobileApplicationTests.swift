import HttpConversation
import MobileServices
import Testing

@Suite struct MobileApplicationTests {
    @Test(arguments: [
        "", ".", "..", "a/b", "a b", "a?b", "com.example.ä", "a%2fb", "a'b", String(repeating: "x", count: 300),
    ])
    func noApplicationID(id: String) {
        let error = #expect(throws: MobileServicesError.self) {
            try MobileApplication(at: "https://m.example.com", id: id)
        }
        #expect(error?.code == .invalidApplication)
    }

    @Test(arguments: [
        "", "mobile.example.com", "ftp://m.example.com/", "https://u:p@m.example.com/", "https://m.example.com/?a=b",
        "https://m.example.com/#a",
    ])
    func noRoot(root: String) {
        let error = #expect(throws: MobileServicesError.self) { try MobileApplication(at: root, id: "com.example.app") }
        #expect(error?.code == .invalidApplication)
        #expect(error?.message.contains("u:p") == false)
    }

    @Test(arguments: ["/abs", "../up", "a/../../b", "%2e%2e/x", "a%2fb", "a\\b", "a\u{1}b"]) func noPath(path: String) {
        var paths = ServicePaths()
        paths.traces = path
        let error = #expect(throws: MobileServicesError.self) {
            try MobileApplication(at: "https://m.example.com/", id: "com.example.app", paths: paths)
        }
        #expect(error?.code == .invalidApplication)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä"]) func noDevice(device: String) {
        let error = #expect(throws: MobileServicesError.self) {
            try MobileApplication(at: "https://m.example.com/", id: "com.example.app", deviceID: device)
        }
        #expect(error?.code == .invalidApplication)
    }
}
