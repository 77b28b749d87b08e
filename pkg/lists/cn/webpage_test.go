package cn_test

import (
	"fmt"
	"strings"
)

// webPage shows the lines of a notice as the Ministry's site does: between links to
// other notices, a path, and a foot.
func webPage(text string) string {
	var paragraphs strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "&", "&amp;")) {
		fmt.Fprintf(&paragraphs, "<p style=\"text-indent: 2em;\">&nbsp;&nbsp;%s</p>\n", strings.TrimSpace(line))
	}
	return pageHead + paragraphs.String() + pageFoot
}

const pageHead = `<!DOCTYPE html>
<html lang="zh">
<head>
<meta charset="utf-8">
<meta name="ArticleTitle" content="关于暂停实体清单措施的公告">
<title>关于暂停措施的公告_商务部</title>
<script>var title = "关于将实体列入名单的公告";</script>
<style>p { margin: 0 }</style>
</head>
<body>
<nav><ul>
<li><a href="/">首页</a></li>
<li><a href="/b.html">商务部公告2031年第6号 公布将9家外国实体列入出口管制管控名单</a><span>[2031-03-01]</span></li>
<li><a href="/c.html"><div>关于暂停商务部公告2031年第6号措施的公告</div></a></li>
</ul></nav>
<div class="position">当前位置：<a href="/">首页</a> &gt; <a href="/zcfb/">政策发布</a> &gt; 正文</div>
<!-- article -->
<div class="art-con">
`

const pageFoot = `</div>
<div class="foot">
<p>附件下载</p>
<p>打印本页</p>
<p><a href="/d.html">关于恢复商务部公告2031年第6号措施的公告</a></p>
<p>主办单位：商务部　网站标识码：bm00000000</p>
<p>Copyright 2031</p>
</div>
</body>
</html>
`
