#!/usr/bin/python3
"""As much of a Kubernetes cluster as kubectl needs to list pods and to watch them: the API's resources, three pods, and a watch
that reports one more pod every 0.2 seconds, two seconds long."""
import json
import os
import sys
import time


def pod(number):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {
        "name": f"pod-{number}", "namespace": "default", "uid": str(number), "resourceVersion": str(number)}}


def answer(path, query):
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}
    if path == "/api/v1":
        return {"kind": "APIResourceList", "groupVersion": "v1", "resources": [{
            "name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list", "watch"]}]}
    if path == "/api/v1/namespaces/default/pods" and "watch=" not in query:
        return {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "3"}, "items": [pod(n) for n in range(1, 4)]}
    return None


path, query = os.environ.get("PATH_INFO", ""), os.environ.get("QUERY_STRING", "")
found = answer(path, query)
if found:
    print("Content-Type: application/json\n")
    print(json.dumps(found))
elif path == "/api/v1/namespaces/default/pods":
    print("Content-Type: application/json\n")
    for number in range(4, 14):
        print(json.dumps({"type": "ADDED", "object": pod(number)}))
        sys.stdout.flush()
        time.sleep(0.2)
else:
    print("Status: 404 Not Found\nContent-Type: text/plain\n\nnot here")
