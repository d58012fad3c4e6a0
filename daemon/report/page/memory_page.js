section('scope').textContent = [data.asked, `made ${clockName(data.made)} ${zone}`].filter(Boolean).join(' · ');
section('foot').append(`Made by memd ${data.memd}. Everything is in this file; it loads nothing. Secrets that memd recognises are masked.`);
drawMemories();
